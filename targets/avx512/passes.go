package avx512

import (
	"fmt"
	"slices"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/internal/pass"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/vir"
)

// legalFunc is a legal function on its way to instruction selection.
type legalFunc struct {
	*vir.Func
	counted     map[*vir.Block]*countdown
	keepSelects bool
}

// legalPasses prepare a legal function for selection: they shape operations that one instruction
// can do together.
var legalPasses = pass.List[*legalFunc]{
	Stage: "legal", Check: func(f *legalFunc) error { return vir.Verify(f.Func) },
	Passes: []pass.Pass[*legalFunc]{
		{Name: "complements", Run: onFunc(complements)},
		{Name: "negatedsplats", Run: onFunc(negateAfterSplat)},
		{Name: "products", Run: onFunc(scaleProducts)},
		{Name: "unused", Run: onFunc(removeUnused)},
		{Name: "sinkcarried", Run: onFunc(sinkAllCarried)},
		{Name: "countdown", Run: countDownLoops},
		{Name: "splitconditions", Run: splitCountedConditions, Required: true, After: []string{"countdown"}},
		{Name: "branchselects", Run: branchLegalSelects},
	},
}

// onFunc makes a pass of a function over vir.
func onFunc(run func(*vir.Func)) func(*legalFunc, pass.Stats) {
	return func(f *legalFunc, _ pass.Stats) { run(f.Func) }
}

// countDownLoops is countDown as a pass.
func countDownLoops(f *legalFunc, _ pass.Stats) { f.counted = countDown(f.Func) }

// splitCountedConditions is splitConditions as a pass.
func splitCountedConditions(f *legalFunc, _ pass.Stats) { splitConditions(f.Func, f.counted) }

// branchLegalSelects is branchSelects as a pass.
func branchLegalSelects(f *legalFunc, st pass.Stats) {
	if !f.keepSelects {
		st.Add(statBranched, branchSelects(f.Func))
	}
}

// The statistics of the passes that are part of CodeStats.
const statBranched, statReplicas = "selects turned into branches", "paths threaded past tests"

// machinePasses run over machine code between register allocation and layout.
var machinePasses = pass.List[*machineFunc]{
	Stage: "machine", Check: (*machineFunc).check,
	Passes: []pass.Pass[*machineFunc]{
		{Name: "replicate", Run: func(f *machineFunc, st pass.Stats) { st.Add(statReplicas, replicate(f)) }},
		{Name: "peephole", Run: func(f *machineFunc, _ pass.Stats) { peephole(f) }},
	},
}

// The steps between the lists.
const legalizeStage, selectStage, allocateStage = "legalize", "select", "allocate"

// Passes lists the steps and passes of Compile in their order.
func Passes() []pass.Description {
	step := func(stage string) []pass.Description {
		return []pass.Description{{Step: pass.Step{Stage: stage, Name: "avx512"}, Required: true}}
	}
	return slices.Concat(step(legalizeStage), legalPasses.Describe(), step(selectStage), step(allocateStage), machinePasses.Describe())
}

// sinkAllCarried runs sinkCarried for the blocks that define arguments of back edges.
func sinkAllCarried(f *vir.Func) {
	dom := cfg.Dominators(f.Graph())
	for _, b := range f.Blocks {
		for _, e := range b.Edges {
			if !dom.Dominates(e.To.ID, b.ID) {
				continue
			}
			var defining []*vir.Block
			for _, a := range e.Args {
				if a.Block != nil && dom.Dominates(e.To.ID, a.Block.ID) && !slices.Contains(defining, a.Block) {
					defining = append(defining, a.Block)
				}
			}
			for _, d := range defining {
				sinkCarried(d, e)
			}
		}
	}
}

// check returns an error unless all jumps lead to blocks and all registers are physical.
func (f *machineFunc) check() (err error) {
	for i, b := range f.blocks {
		for _, s := range b.succs() {
			if s < 0 || s >= len(f.blocks) {
				return fmt.Errorf("block %d jumps to block %d of %d", i, s, len(f.blocks))
			}
		}
		for k := range b.insts {
			in := &b.insts[k]
			in.Regs(func(r *asm.Reg, _ asm.Role) {
				if r.IsVirtual() && err == nil {
					err = fmt.Errorf("block %d: %s: virtual register %s", i, asm.AppendFormat(nil, in, asm.Options{}), *r)
				}
			})
		}
	}
	return err
}

// String returns the instructions by block.
func (f *machineFunc) String() string {
	var s []byte
	line := func(in asm.Inst) { s = append(asm.AppendFormat(append(s, '\t'), &in, asm.Options{}), '\n') }
	for i, b := range f.blocks {
		s = asm.AppendFormat(s, &asm.Inst{Op: asm.LABEL, Args: [4]asm.Reg{asm.InLabel}, Target: asm.Label(i)}, asm.Options{})
		s = append(s, '\n')
		for _, in := range b.insts {
			line(in)
		}
		for _, c := range b.copies {
			s = append(s, "\t"+c.dst.String()+" <- "+c.src.String()+"\n"...)
		}
		switch t := b.term; {
		case t.ret:
			line(asm.Make(asm.RET))
		case t.targets != nil:
			s = fmt.Appendf(s, "\t# one of %v\n", t.targets)
		case t.cond:
			line(asm.JumpIf(t.on, asm.Label(t.yes)))
			line(asm.Jump(asm.Label(t.no)))
		default:
			line(asm.Jump(asm.Label(t.yes)))
		}
	}
	return string(s)
}
