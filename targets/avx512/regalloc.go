package avx512

import (
	"fmt"
	"math/bits"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/targets/avx512/asm"
)

// Register allocation.
//
// One forward walk over the blocks in reverse postorder assigns registers
// instruction by instruction and evicts the value whose next use is farthest
// when none is free (Belady). What makes that good for loops is how the state
// at the head of a block is chosen (Braun and Hack, "Register Spilling and
// Live-Range Splitting for SSA-Form Programs", 2009): a loop is entered with
// the values it uses in registers, and with those that only live through it
// where its pressure leaves room, so that spills and reloads fall on the edges
// into the loop. Distances to next uses add a large penalty for leaving a loop.
//
// The state at the head of a block is fixed when the block is reached; edges
// whose predecessors end in another state get the moves, stores and loads that
// make up the difference, together with the parallel copies of the edge
// (regalloc_edges.go). Hints make most of those moves vanish: a value that will
// be copied wants the register of what it is copied to. Where a loop was entered
// with values in registers that its rounds lose and can do without, registers
// are assigned once more (regalloc_absent.go).
//
// Constants are values without a definition: equal ones are merged, they are
// made where a register is free before they are used, outside of loops if the
// loop has room, and evicting one costs no store.
//
// A value is stored where it is evicted, or once after its definition when
// that runs less often.

// physReg numbers the physical registers of all classes densely.
type physReg int8

const (
	noPhys    physReg = -1
	firstGPR  physReg = 0
	firstVec  physReg = 16
	firstMask physReg = 48
	numPhys           = 56
)

var firstPhys = [4]physReg{asm.ClassGPR: firstGPR, asm.ClassVec: firstVec, asm.ClassMask: firstMask}

func physOf(r asm.Reg) physReg { return firstPhys[r.Class()] + physReg(r.Num()) }

func (p physReg) class() asm.Class {
	switch {
	case p >= firstMask:
		return asm.ClassMask
	case p >= firstVec:
		return asm.ClassVec
	}
	return asm.ClassGPR
}

func (p physReg) reg() asm.Reg {
	switch c := p.class(); c {
	case asm.ClassGPR:
		return asm.GPR(int(p))
	case asm.ClassVec:
		return asm.Vec(int(p - firstVec))
	default:
		return asm.Mask(int(p - firstMask))
	}
}

// regSet is a set of physical registers.
type regSet uint64

func (s regSet) has(p physReg) bool { return s>>uint(p)&1 != 0 }
func (s *regSet) add(p physReg)     { *s |= 1 << uint(p) }
func (s *regSet) remove(p physReg)  { *s &^= 1 << uint(p) }
func (s regSet) first() physReg     { return physReg(bits.TrailingZeros64(uint64(s))) }

// registerFile are the registers of each class that may hold values, and how many values
// of a class may be live in registers at once. rsp belongs to the caller, and r14 leads
// to private memory and the spill space below it. k0 cannot be a write mask; it holds only values that
// never are one, and is not counted on.
type registerFile struct {
	usable   [4]regSet
	capacity [4]int
	vector   uint8 // bytes of a vector register
}

const usableGPRs regSet = 0xBFFF &^ (1 << 4)

var (
	registersV4 = registerFile{
		[4]regSet{asm.ClassGPR: usableGPRs, asm.ClassVec: 0xFFFFFFFF << firstVec, asm.ClassMask: 0xFF << firstMask},
		[4]int{asm.ClassGPR: 14, asm.ClassVec: 32, asm.ClassMask: 7},
		64,
	}
	registersV3 = registerFile{
		[4]regSet{asm.ClassGPR: usableGPRs, asm.ClassVec: 0xFFFF << firstVec},
		[4]int{asm.ClassGPR: 14, asm.ClassVec: 16, asm.ClassMask: 7}, // there are no masks
		32,
	}
	// gprOrder prefers registers whose 32-bit forms need no REX prefix; rbp
	// last, which as a base always takes a displacement, and which faults leave to
	// whoever unwinds the stack.
	gprOrder = [...]physReg{0, 1, 2, 6, 7, 3, 8, 9, 10, 11, 15, 12, 13, 5}
)

// registers are those of the processors that f is for.
func (f *machineFunc) registers() *registerFile {
	if f.v3 {
		return &registersV3
	}
	return &registersV4
}

const k0 = firstMask

// Distances to next uses count instructions; never means dead.
const (
	never       int32 = 1 << 30
	exitPenalty int32 = 1 << 18 // for each loop an edge leaves
)

// value is what the allocator knows of one virtual register.
type value struct {
	class     asm.Class
	writeMask bool    // used as a write mask: k0 will not do
	constant  bool    // made anew from remat instead of reloaded
	size      uint8   // bytes of a spill slot
	home      physReg // where it was put last; in a loop, where the loop's head has it
	hint      physReg // a physical register it is copied to or from
	defs      int32
	uses      int32 // reads, not counting those of two-address destinations
	block     int32 // where it is referred to first
	param     int32 // the block whose incoming edges copy to it, noBlock or manyBlocks
	global    int32 // index among values that live across blocks, -1
	remat     int32 // index in allocator.remats
	to        [2]int32
	toWeight  [2]float32
	weight    float32 // of its uses, by loop depth
	lastDef   defPoint
	stores    []int32 // indices of stores since the last definition in the output of block storesIn
	storesIn  int32
}

const (
	noBlock    = -1
	manyBlocks = -2
)

// defPoint is a place in the output: before entry index of a block's list,
// where reg holds the value just defined.
type defPoint struct {
	block, index int32
	reg          physReg
}

// location says where a value is at the head or end of a block.
type location struct {
	v   int32
	reg physReg // noPhys: not in a register
	mem bool    // its slot holds the value (never for constants)
}

// useDistance is a value live at the head of a block and how far its next use is.
type useDistance struct{ v, dist int32 }

// outInst is an instruction of the output.
type outInst struct {
	in   asm.Inst
	orig int32 // index in the block before allocation, -1 for inserted ones
	kind outKind
	dead bool
	own  bool  // a store of a value, not changed since, to its own slot
	v    int32 // the value whose slot it refers to, if it is a store, a reload or has one folded
	from int32 // of a move between slots, to that of v: the value whose slot it reads
}

// loads reports whether o reads a slot of v's, stores whether it writes one.
func (o *outInst) loads() bool  { return o.kind == reload || o.kind == original && o.v >= 0 }
func (o *outInst) stores() bool { return o.kind == spillStore || o.kind == slotMove }

type outKind uint8

const (
	original outKind = iota
	spillStore
	reload
	remat
	regMove
	slotMove // a reload, in what operands there are, and a store of the same register; for finish to write out
)

// AllocStats counts what register allocation inserted.
type AllocStats struct {
	Spills, Reloads, Remats, Moves                     int // static counts
	LoopSpills, LoopReloads, LoopRemats, LoopMoves     int // those of them in loops
	InnerSpills, InnerReloads, InnerRemats, InnerMoves int // those of them in innermost loops
	Folded                                             int // reloads that are operands of other instructions
	SharedSlots                                        int // moves between slots that became one
	Absent                                             int // values that loops were then entered without
	SpillBytes                                         int
	VectorSlots, ScalarSlots                           int
}

// allocation is the result of allocate besides the changed function.
type allocation struct {
	stats  AllocStats
	spills []Spill
	origin [][]int32 // by block and instruction: its index before allocation, -1 if inserted

	// How the code was changed before registers were allocated, in this order.
	reordered []reordered // blocks with another order of instructions
	retied    []retied    // instructions that overwrite another operand
	merged    []regCopy   // registers that another one stands for everywhere
}

type allocator struct {
	f      *machineFunc
	regs   *registerFile
	order  []int // reachable blocks in reverse postorder, loops before what follows them
	placed []int // position in order, -1 unreachable
	forest *cfg.CycleForest
	freq   []float32 // by block, how often it runs, estimated
	inner  []bool    // by block: in an innermost loop
	base   [4]int
	vals   []value
	canon  []int32    // copies and equal constants: the value that stands for each
	remats []asm.Inst // how constants are made

	numGlobals int
	globals    []int32 // by global index: the value
	liveIn     [][]useDistance
	kept       []bitset        // by block: what may live out of it
	keepsAll   []bool          // by block: that is everything
	exposed    [][]useDistance // by block: values used before any definition there
	renewed    []bitset        // by cycle: what it gives a new value
	pressure   [][4]int32      // most values live at once, by block
	loopPress  [][4]int32      // the same, by cycle
	next       []int32         // next use after each virtual operand, in operand order of the walk
	nextStart  []int32         // by block
	events     [][]physEvent
	foldable   map[foldKey]bool
	fixed      regSet // registers that instructions in loops use by themselves
	retied     []retied
	reordered  []reordered
	merged     []regCopy

	entry, exit [][]location
	out         [][]outInst
	done        []bool
	loopHome    []regSet // by cycle: registers in use at its head
	absent      []bitset // by cycle: what its head is better without

	slots     []spillSlot
	slotIndex []int32   // by value, and the emergency slots after them
	slotReg   []asm.Reg // by the same: the general register that serves as the slot, if any

	walk    walkState
	scratch scratch
	stats   AllocStats
	err     error
}

// physEvent is a definition of a physical register by the instruction at i (-1:
// live into the block).
type physEvent struct {
	i    int32
	reg  physReg
	last int32 // time of the last read, or of the write if nothing reads it
}

// scratch are arrays by value that are cleared after use.
type scratch struct {
	reg   []physReg
	mem   []bool
	seen  []int32 // index+1 in a list
	count []int32 // by location, see moves
}

// allocate replaces the virtual registers of f by physical ones. It changes f
// in place: copies become moves, critical edges that need code get blocks.
// The spill space ends at [r14].
func allocate(f *machineFunc) (*allocation, error) {
	a := &allocator{f: f, regs: f.registers()}
	if err := a.prepare(); err != nil {
		return nil, err
	}
	a.liveness()
	a.scheduleBlocks()
	a.localUses()
	a.entry = make([][]location, len(f.blocks))
	a.exit = make([][]location, len(f.blocks))
	a.out = make([][]outInst, len(f.blocks))
	a.done = make([]bool, len(f.blocks))
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

// walkBlocks assigns registers in all blocks; what it did before is forgotten.
func (a *allocator) walkBlocks() {
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

func (a *allocator) fail(format string, args ...any) {
	if a.err == nil {
		a.err = fmt.Errorf("register allocation: "+format, args...)
	}
}

// index is the number of a virtual register among all classes.
func (a *allocator) index(r asm.Reg) int32 { return int32(a.base[r.Class()] + r.Num()) }

// val is the value that a virtual register stands for.
func (a *allocator) val(r asm.Reg) int32 { return a.canon[a.index(r)] }
