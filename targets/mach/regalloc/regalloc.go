// Package regalloc assigns the virtual registers of machine functions to the registers of
// a processor, which a Machine describes. Before that it orders instructions for register
// pressure; Verify checks its result.
//
// The package must be free of vir and of every instruction set.
package regalloc

import (
	"fmt"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/targets/mach"
)

// One forward walk over the blocks in reverse postorder assigns registers
// instruction by instruction. If no register is free, it evicts the value whose next
// use is farthest away (Belady). For loops the choice of the state at the head of a
// block matters most (Braun and Hack, "Register Spilling and Live-Range Splitting for
// SSA-Form Programs", 2009): the values that a loop uses are in registers at its head.
// Values that are only live through the loop follow, as far as its register pressure
// allows. Spills and reloads thus fall on the edges into the loop. Next-use distances
// include a large penalty for each loop exit.
//
// The state at the head of a block is fixed when the walk reaches it. Edges whose
// predecessors end in another state get the moves, stores and loads that make up the
// difference, together with the parallel copies of the edge (edges.go). Hints
// remove most of these moves: a value that is copied prefers the register of its copy.
// If a loop starts with values in registers that its iterations evict and rarely use,
// registers are assigned a second time (absent.go).
//
// Constants are values without a definition. Equal constants are merged. A constant is
// rematerialized where a register is free before its use, outside of loops if the loop
// has room. Its eviction needs no store.
//
// A value is stored where it is evicted, or once after its definition if
// that runs less often.

// Next-use distances count instructions; never means dead.
const (
	never       int32 = 1 << 30
	exitPenalty int32 = 1 << 18 // added for each loop that an edge exits
)

// value is the allocator's state of one virtual register.
type value struct {
	class     mach.Class
	predicate bool    // used as a predicate, so not in noPredicate
	constant  bool    // rematerialized from remat, never reloaded
	size      uint8   // bytes of its spill slot
	home      physReg // its last register; in a loop, its register at the loop's head
	hint      physReg // a physical register it is copied to or from
	defs      int32
	uses      int32      // reads, not counting those of two-address destinations
	block     int32      // the first block that refers to it
	param     int32      // the block whose incoming edges copy to it, noBlock or manyBlocks
	global    int32      // index among values that live across blocks, or -1
	remat     int32      // index in allocator.remats
	to        [2]int32   // the values that it is most often copied to, or -1
	toWeight  [2]float32 // estimated frequency of these copies
	weight    float32    // estimated frequency of its uses
	lastDef   defPoint
	stores    []int32 // stores since the last definition: indices in the output of block storesIn
	storesIn  int32
}

const (
	noBlock    = -1
	manyBlocks = -2
)

// defPoint is a position in the output: before entry index of a block's list,
// where reg holds the newly defined value.
type defPoint struct {
	block, index int32
	reg          physReg
}

// location is the place of a value at the head or end of a block.
type location struct {
	v   int32
	reg physReg // noPhys: not in a register
	mem bool    // its slot holds the value (always false for constants)
}

// useDistance is the next-use distance of a value that is live at the head of a block.
type useDistance struct{ v, dist int32 }

// outInst is an instruction of the output.
type outInst[I comparable] struct {
	in   I
	orig int32 // index in the block before allocation, -1 if inserted
	kind outKind
	dead bool
	reg  physReg // of a slotMove or remat, and of stores and reloads on edges
	own  bool    // a store of a value to its own slot, with no definition in between
	v    int32   // the value whose slot it accesses, for stores, reloads and folded reloads
	from int32   // for a slotMove: the value whose slot it reads
}

// loads reports whether o reads the slot of o.v, stores whether it writes it.
func (o *outInst[I]) loads() bool  { return o.kind == reload || o.kind == original && o.v >= 0 }
func (o *outInst[I]) stores() bool { return o.kind == spillStore || o.kind == slotMove }

type outKind uint8

const (
	original outKind = iota
	spillStore
	reload
	remat
	regMove
	slotMove // a reload, whose operands in holds, and a store of the same register; finish expands it
)

// Stats counts what register allocation inserted.
type Stats struct {
	Spills, Reloads, Remats, Moves                     int // static counts
	LoopSpills, LoopReloads, LoopRemats, LoopMoves     int // of these, in loops
	InnerSpills, InnerReloads, InnerRemats, InnerMoves int // of these, in innermost loops
	Folded                                             int // reloads folded into memory operands
	SharedSlots                                        int // moves between slots removed by coalescing
	Reordered, Retied, Merged                          int // blocks, instructions and copies changed before the assignment
	Absent                                             int // values removed from the registers at loop heads by the second assignment
	SpillBytes                                         int
	VectorSlots, ScalarSlots                           int
}

// Allocation is the result of Allocate, apart from the rewritten function.
type Allocation[I comparable] struct {
	Stats  Stats
	Spills []Spill
	origin [][]int32 // by block and instruction: its index before allocation, or -1 if inserted

	// Changes made before registers were assigned, in this order.
	reordered []reordered // blocks with another order of instructions
	retied    []retied[I] // instructions that overwrite another operand
	merged    []mach.Copy // dst was replaced by src everywhere
}

type allocator[I comparable] struct {
	f      *mach.Func[I]
	m      *Machine[I]
	regs   *registerFile
	order  []int // reachable blocks in reverse postorder, loops before their exits
	placed []int // position in order, -1 if unreachable
	forest *cfg.CycleForest
	freq   []float32 // by block: estimated execution frequency
	inner  []bool    // by block: in an innermost loop
	base   [mach.NumClasses]int
	vals   []value
	canon  []int32 // by virtual register: the value that represents it and its copies
	remats []I     // the instructions that make constants

	numGlobals int
	globals    []int32 // by global index: the value
	liveIn     [][]useDistance
	kept       []bitset                 // by block: values that may be live out of it
	keepsAll   []bool                   // by block: kept contains all values
	exposed    [][]useDistance          // by block: upward-exposed uses
	renewed    []bitset                 // by cycle: values defined in it
	pressure   [][mach.NumClasses]int32 // by block: maximum number of live values
	loopPress  [][mach.NumClasses]int32 // by cycle: the same
	next       []int32                  // next use after each virtual operand, in the operand order of the walk
	nextStart  []int32                  // by block: its first entry in next
	events     [][]physEvent
	fixed      regSet // physical registers that instructions in loops name
	retied     []retied[I]
	reordered  []reordered
	merged     []mach.Copy

	entry, exit [][]location
	out         [][]outInst[I]
	done        []bool
	loopHome    []regSet // by cycle: registers in use at its head
	absent      []bitset // by cycle: values that are not in registers at its head

	slots     []spillSlot
	slotIndex []int32    // by value, then by emergency slot
	slotReg   []mach.Reg // indexed like slotIndex: the register that serves as the slot, if any

	walk    walkState[I]
	ops     operands // of retie
	scratch scratch
	stats   Stats
	err     error
}

// physEvent is a definition of a physical register by the instruction at i, or -1 if the
// register is live into the block.
type physEvent struct {
	i    int32
	reg  physReg
	last int32 // time of the last read, or of the write if nothing reads it
}

// scratch holds arrays, indexed by value, that are cleared after use.
type scratch struct {
	reg   []physReg
	mem   []bool
	seen  []int32 // index+1 in a list
	count []int32 // by place, see mover
}

// Allocate replaces the virtual registers of f by physical ones. It changes f
// in place: copies become moves, and critical edges that need code get blocks.
func Allocate[I comparable](f *mach.Func[I], m *Machine[I]) (*Allocation[I], error) {
	a := &allocator[I]{f: f, m: m, regs: newRegisterFile(&m.Classes)}
	if err := a.prepare(); err != nil {
		return nil, err
	}
	a.liveness()
	a.scheduleBlocks()
	a.localUses()
	a.entry = make([][]location, len(f.Blocks))
	a.exit = make([][]location, len(f.Blocks))
	a.out = make([][]outInst[I], len(f.Blocks))
	a.done = make([]bool, len(f.Blocks))
	a.walk.init(len(a.vals), a.regs)
	retied := len(a.retied)
	a.walkBlocks()
	if a.err == nil && a.findAbsent() {
		a.retied = a.retied[:retied]
		a.walkBlocks()
	}
	if a.err != nil {
		return nil, a.err
	}
	return a.finish(a.fixEdges()), nil
}

// walkBlocks assigns registers in all blocks and discards any earlier assignment.
func (a *allocator[I]) walkBlocks() {
	for i := range a.vals {
		v := &a.vals[i]
		v.home, v.lastDef.block, v.stores = noPhys, noBlock, v.stores[:0]
	}
	clear(a.done)
	clear(a.loopHome)
	for _, b := range a.order {
		a.enterBlock(b)
		a.walkBlock(b)
		a.done[b] = true
		if a.err != nil {
			return
		}
	}
}

func (a *allocator[I]) fail(format string, args ...any) {
	if a.err == nil {
		a.err = fmt.Errorf("register allocation: "+format, args...)
	}
}

// index is the number of a virtual register across all classes.
func (a *allocator[I]) index(r mach.Reg) int32 { return int32(a.base[r.Class()] + r.Num()) }

// val returns the value that represents a virtual register.
func (a *allocator[I]) val(r mach.Reg) int32 { return a.canon[a.index(r)] }
