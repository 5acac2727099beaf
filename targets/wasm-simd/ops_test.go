package wasmsimd

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// pureProgram applies every pure operation to every operand type and result type that it
// accepts, at every width, and stores the results.
func pureProgram(r *rand.Rand, width, part, parts int) (*vir.Func, []byte, []region) {
	x := newBuild(width)
	var buf []byte
	var out []region
	// Space for a vector of any type, with a gap between.
	room := func() int {
		at := len(buf)
		buf = append(buf, make([]byte, width*8+16)...)
		return at
	}
	inputs := map[vir.Type][]*vir.Value{}
	places := map[*vir.Value]int{}
	input := func(t vir.Type, i int) *vir.Value {
		for len(inputs[t]) <= i {
			at := room()
			size := max(t.Elem.Size(), 1)
			for l := range t.Lanes {
				put(buf[at+l*size:], t.Elem, interesting(r, t.Elem))
			}
			v := x.load(t, at)
			places[v] = at
			inputs[t] = append(inputs[t], v)
		}
		return inputs[t][i]
	}
	n := 0
	for op := alu.Invalid + 1; op < alu.NumPure; op++ {
		info := alu.InfoOf(op)
		for _, arg := range allTypes {
			for _, want := range allTypes {
				res, err := alu.ResultType(op, arg, want)
				if err != nil || info.Class != alu.Convert && want != alu.I32 {
					continue
				}
				if n++; n%parts != part {
					continue
				}
				lanes := vir.Type{Elem: arg, Lanes: width}
				var args []*vir.Value
				switch {
				case op == alu.Select && n%3 == 0:
					args = []*vir.Value{input(vir.Scalar(alu.I1), 0), input(lanes, 1), input(lanes, 2)}
				case op == alu.Select:
					args = []*vir.Value{input(vir.Type{Elem: alu.I1, Lanes: width}, 0), input(lanes, 1), input(lanes, 2)}
				default:
					for i := range info.Args {
						args = append(args, input(lanes, i))
					}
				}
				v := x.op(op, vir.Type{Elem: res, Lanes: width}, args...)
				reg := region{what: vir.FormatValue(v), typ: v.Type, at: room()}
				for _, a := range args {
					reg.input, reg.from = append(reg.input, places[a]), append(reg.from, a.Type)
				}
				x.store(v, reg.at)
				out = append(out, reg)
				// The same with a uniform operand.
				if info.Args == 2 && lanes.IsVec() {
					c := []*vir.Value{x.cst(lanes, interesting(r, arg)), x.op(vir.Splat, lanes, input(vir.Scalar(arg), 0))}[n%2]
					v := x.op(op, vir.Type{Elem: res, Lanes: width}, args[0], c)
					reg := region{what: vir.FormatValue(v), typ: v.Type, at: room()}
					x.store(v, reg.at)
					out = append(out, reg)
				}
			}
		}
	}
	x.b.Return()
	return x.f, buf, out
}

// TestEveryOpIsTested: an operation added to vir must be added to the programs here, which
// fail if selection has no rule for it.
func TestEveryOpIsTested(t *testing.T) {
	tried := map[vir.Op]bool{}
	note := func(f *vir.Func) {
		for _, b := range f.Blocks {
			for _, v := range b.Values {
				tried[v.Op] = true
				for _, a := range v.Args {
					tried[a.Op] = true
				}
			}
		}
	}
	f, _, _ := pureProgram(rand.New(rand.NewSource(1)), 8, 0, 1)
	note(f)
	for _, elem := range []alu.Type{alu.I1, alu.I32} {
		p := &laneProgram{build: newBuild(8), r: rand.New(rand.NewSource(1)), w: 8, t: elem}
		p.lanes()
		p.memory()
		p.atomics()
		note(p.f)
	}
	f, _, _ = randomFlow(4, 8, 20)
	note(f)
	for _, op := range vir.Ops() { // masks are not in the form that Resize converts
		require.True(t, tried[op] || op == vir.Param || op == vir.Resize, vir.InfoOf(op).Name)
	}
}

func TestPureOps(t *testing.T) {
	for _, width := range []int{1, 4, 8, 16, 32, 64} {
		for seed := range int64(2) {
			t.Run(fmt.Sprintf("%d/%d", width, seed), func(t *testing.T) {
				r := rand.New(rand.NewSource(seed))
				const parts = 4
				for part := range parts {
					f, buf, regions := pureProgram(r, width, part, parts)
					require.Greater(t, len(regions), 20)
					want := reference(t, f, buf, 1)
					for _, h := range hosts() {
						requireSame(t, regions, buf, want, run(t, h, f, buf, 1, Options{Shared: part%2 == 0}))
					}
				}
			})
		}
	}
}
