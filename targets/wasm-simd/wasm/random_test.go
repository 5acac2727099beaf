package wasm_test

import (
	"bytes"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/launch/wasmhost"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
)

// generator makes random functions that terminate, never trap, and have deterministic
// results: NaNs become zero after every operation that can produce one.
type generator struct {
	r      *rand.Rand
	b      *wasm.Builder
	locals map[wasm.ValType][]uint32
	tmp    map[wasm.ValType]uint32 // a result to be checked for NaN
	spins  uint32                  // counts loop iterations down
	labels []wasm.Label
	fuel   int // remaining instructions
}

var valTypes = []wasm.ValType{wasm.I32, wasm.I64, wasm.F32, wasm.F64, wasm.V128}

// producers lists the ops of random expressions by result type.
var producers, consumers = usableOps()

func usableOps() (map[wasm.ValType][]wasm.Op, []wasm.Op) {
	prod := map[wasm.ValType][]wasm.Op{}
	var cons []wasm.Op
	for op := wasm.Op(0); int(op) < wasm.NumOps; op++ {
		r := wasm.Rows[op]
		n := r.Name
		if isStructural(op) || op.Features() == wasm.RelaxedSIMD || strings.HasPrefix(n, "memory.atomic") || op == wasm.MemoryGrow ||
			strings.Contains(n, ".div_") || strings.Contains(n, ".rem_") || strings.Contains(n, ".trunc_f") {
			continue
		}
		if r.Out == "" {
			cons = append(cons, op)
		} else {
			prod[letters[r.Out[0]]] = append(prod[letters[r.Out[0]]], op)
		}
	}
	return prod, cons
}

func randomModule(seed int64, size int) *wasm.Module {
	f := &wasm.Func{Name: "main", Export: "main", Params: []wasm.Local{{Type: wasm.I32, Name: "ctx"}}}
	g := &generator{r: rand.New(rand.NewSource(seed)), b: wasm.NewBuilder(f), fuel: size,
		locals: map[wasm.ValType][]uint32{}, tmp: map[wasm.ValType]uint32{}}
	for _, t := range valTypes {
		g.tmp[t] = g.b.Local(t, "")
		for range 1 + g.r.Intn(3) {
			g.locals[t] = append(g.locals[t], g.b.Local(t, t.String()))
		}
	}
	g.spins = g.b.Local(wasm.I32, "spins")
	g.b.I32(200)
	g.b.Set(g.spins)
	for line := uint32(1); g.fuel > 0; line++ {
		g.b.Line = line
		g.statement(3)
	}
	g.b.Line = 0
	at := uint32(0)
	for _, t := range valTypes {
		for _, l := range g.locals[t] {
			g.b.I32(int32(at))
			g.b.Get(l)
			op, align := storeOf(t)
			g.b.Mem(op, 0, align)
			at += 16
		}
	}
	return &wasm.Module{
		Name:   "random",
		Memory: &wasm.Memory{ImportModule: "env", ImportName: "memory", Max: wasm.MaxPages, HasMax: true, Shared: true},
		Funcs:  []*wasm.Func{f},
	}
}

func storeOf(t wasm.ValType) (wasm.Op, uint8) {
	switch t {
	case wasm.I32:
		return wasm.I32Store, 2
	case wasm.I64:
		return wasm.I64Store, 3
	case wasm.F32:
		return wasm.F32Store, 2
	case wasm.F64:
		return wasm.F64Store, 3
	}
	return wasm.V128Store, 4
}

func (g *generator) typ() wasm.ValType { return valTypes[g.r.Intn(len(valTypes))] }

func (g *generator) statement(depth int) {
	g.fuel -= 3
	switch k := g.r.Intn(12); {
	case k < 4 || depth == 0:
		t := g.typ()
		g.expr(t, 3)
		g.b.Set(g.locals[t][g.r.Intn(len(g.locals[t]))])
	case k < 6:
		g.instr(consumers[g.r.Intn(len(consumers))], 2)
	case k < 8:
		g.expr(wasm.I32, 2)
		l := g.b.If(wasm.BlockVoid)
		g.body(l, depth)
		if g.r.Intn(2) == 0 {
			g.b.Else()
			g.body(l, depth)
		}
		g.b.End()
	case k < 9:
		l := g.b.Block(wasm.BlockVoid)
		g.body(l, depth)
		g.b.End()
	case k < 10:
		out := g.b.Block(wasm.BlockVoid)
		l := g.b.Loop(wasm.BlockVoid)
		g.b.Get(g.spins)
		g.b.Op(wasm.I32Eqz)
		g.b.BrIf(out)
		g.b.Get(g.spins)
		g.b.I32(-1)
		g.b.Op(wasm.I32Add)
		g.b.Set(g.spins)
		g.body(out, depth)
		g.expr(wasm.I32, 2)
		g.b.BrIf(l)
		g.b.End()
		g.b.End()
	default:
		if len(g.labels) == 0 {
			return
		}
		// Branches only leave blocks, so only counted loops repeat.
		g.expr(wasm.I32, 2)
		if g.r.Intn(3) > 0 {
			g.b.BrIf(g.labels[g.r.Intn(len(g.labels))])
			return
		}
		inner := g.b.Block(wasm.BlockVoid)
		g.expr(wasm.I32, 2)
		g.b.I32(7)
		g.b.Op(wasm.I32And)
		ls := []wasm.Label{inner, inner, g.labels[g.r.Intn(len(g.labels))], inner, 0, inner}
		g.b.BrTable(ls[:g.r.Intn(len(ls))], inner)
		g.b.End()
		g.b.Op(wasm.Drop)
	}
}

func (g *generator) body(l wasm.Label, depth int) {
	g.labels = append(g.labels, l)
	for range 1 + g.r.Intn(3) {
		g.statement(depth - 1)
	}
	g.labels = g.labels[:len(g.labels)-1]
}

func (g *generator) expr(t wasm.ValType, depth int) {
	g.fuel--
	switch k := g.r.Intn(10); {
	case depth == 0 || k < 2:
		if g.r.Intn(3) > 0 {
			g.b.Get(g.locals[t][g.r.Intn(len(g.locals[t]))])
			return
		}
		for _, op := range []wasm.Op{wasm.I32Const, wasm.I64Const, wasm.F32Const, wasm.F64Const, wasm.V128Const} {
			if letters[wasm.Rows[op].Out[0]] == t {
				g.instr(op, 0)
			}
		}
	case k == 2:
		g.expr(t, depth-1)
		g.expr(t, depth-1)
		g.expr(wasm.I32, depth-1)
		if t == wasm.V128 || g.r.Intn(2) == 0 {
			g.b.SelectType(t)
		} else {
			g.b.Op(wasm.Select)
		}
	case k == 3:
		l := g.b.Block(t)
		g.expr(t, depth-1)
		g.expr(wasm.I32, depth-1)
		g.b.BrIf(l)
		g.b.End()
	case k == 4:
		g.expr(wasm.I32, depth-1)
		g.b.If(t)
		g.expr(t, depth-1)
		g.b.Else()
		g.expr(t, depth-1)
		g.b.End()
	default:
		ops := producers[t]
		g.instr(ops[g.r.Intn(len(ops))], depth-1)
	}
}

// instr writes the operands and the instruction.
func (g *generator) instr(op wasm.Op, depth int) {
	r := wasm.Rows[op]
	mem := r.Imm == wasm.ImmMem || r.Imm == wasm.ImmMemLane
	for i := range len(r.In) {
		g.expr(letters[r.In[i]], max(depth-1, 0))
		switch {
		case mem && i == 0:
			g.b.I32(0x7F80)
			g.b.Op(wasm.I32And)
		case r.Imm == wasm.ImmMemory:
			g.b.I32(0xFFF)
			g.b.Op(wasm.I32And)
		}
	}
	in := wasm.Instr{Op: op, Imm: g.r.Uint64(), Hi: g.r.Uint64(), Line: g.b.Line}
	switch r.Imm {
	case wasm.ImmMem, wasm.ImmMemLane:
		in.Imm &= 0xFFF
		in.Align = uint8(g.r.Intn(int(r.N) + 1))
		if op.Features() == wasm.Threads {
			in.Align = r.N
			in.Imm &^= 7
		}
		if r.Imm == wasm.ImmMemLane {
			in.Lane = uint8(g.r.Intn(16 >> r.N))
		}
		in.Hi = 0
	case wasm.ImmLane:
		in.Lane, in.Imm, in.Hi = uint8(g.r.Intn(int(r.N))), 0, 0
	case wasm.ImmShuffle:
		in.Imm &= 0x1F1F1F1F1F1F1F1F
		in.Hi &= 0x1F1F1F1F1F1F1F1F
	case wasm.ImmI32, wasm.ImmI64:
		in.Imm = uint64(int64(in.Imm) >> g.r.Intn(64))
		in.Hi = 0
	case wasm.ImmF32:
		in.Imm &= 0xFFFFFFFF
	}
	g.b.F.Body = append(g.b.F.Body, in)
	if r.Out == "" {
		return
	}
	t := letters[r.Out[0]]
	self := func(eq wasm.Op) {
		g.b.Get(g.tmp[t])
		g.b.Get(g.tmp[t])
		g.b.Op(eq)
	}
	switch {
	case t == wasm.F32:
		g.b.Tee(g.tmp[t])
		g.b.F32(0)
		self(wasm.F32Eq)
		g.b.Op(wasm.Select)
	case t == wasm.F64:
		g.b.Tee(g.tmp[t])
		g.b.F64(0)
		self(wasm.F64Eq)
		g.b.Op(wasm.Select)
	case strings.HasPrefix(r.Name, "f32x4"):
		g.b.Tee(g.tmp[t])
		self(wasm.F32x4Eq)
		g.b.Op(wasm.V128And)
	case strings.HasPrefix(r.Name, "f64x2"):
		g.b.Tee(g.tmp[t])
		self(wasm.F64x2Eq)
		g.b.Op(wasm.V128And)
	}
}

func fill(b []byte) {
	r := rand.New(rand.NewSource(99))
	r.Read(b)
}

// TestRandomModulesOnAllEngines: engines accept what the validator accepts, and compute the
// same results.
func TestRandomModulesOnAllEngines(t *testing.T) {
	count, size := int64(60), 150
	if testing.Short() {
		count = 15
	}
	hs := hosts()
	mems := make([]wasmhost.Memory, len(hs))
	for i, h := range hs {
		m, err := h.NewMemory(wasmhost.MemoryType{Min: 1, Max: 1, Shared: true})
		require.NoError(t, err)
		defer m.Close()
		mems[i] = m
	}
	distinct := map[string]bool{}
	for seed := range count {
		m := randomModule(seed, size)
		require.NoError(t, m.Validate(), "seed %d", seed)
		code := m.Encode()
		require.Equal(t, code, randomModule(seed, size).Encode(), "not deterministic")
		for i, h := range hs {
			fill(mems[i].Bytes())
			require.NoError(t, runMain(h, code, mems[i]), "seed %d on %s", seed, h.Name())
			if i > 0 && !bytes.Equal(mems[0].Bytes(), mems[i].Bytes()) {
				t.Fatalf("seed %d: %s and %s differ\n%s", seed, hs[0].Name(), h.Name(), m.WAT())
			}
		}
		distinct[string(mems[0].Bytes()[:256])] = true
	}
	require.Greater(t, len(distinct), int(count)*3/4, "the programs compute too little")
}

func runMain(h wasmhost.Host, code []byte, mem wasmhost.Memory) error {
	mod, err := h.Compile(code)
	if err != nil {
		return err
	}
	defer mod.Close()
	inst, err := mod.Instantiate(mem)
	if err != nil {
		return err
	}
	defer inst.Close()
	f, err := inst.Func("main")
	if err != nil {
		return err
	}
	return f.Call(64)
}

// TestValidatorAgreesWithEngines changes random instructions of valid modules; the
// validator must accept exactly what the engines accept.
func TestValidatorAgreesWithEngines(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	mutations := 1500
	if testing.Short() {
		mutations = 300
	}
	valid := 0
	for i := range mutations {
		m := randomModule(int64(i), 12)
		what := mutate(r, m.Funcs[0])
		ours := m.Validate()
		if ours == nil {
			valid++
		}
		if uses(m, wasm.RelaxedSIMD) {
			continue
		}
		for _, h := range hosts() {
			mod, err := h.Compile(m.Encode())
			if err == nil && h.Name() == "wazero" && ours != nil && strings.Contains(ours.Error(), "atomic access must be its size") {
				continue // wazero accepts smaller alignments, too
			}
			if (err == nil) != (ours == nil) {
				t.Fatalf("mutation %d, %s: %s reports %v, the validator %v\n%s", i, what, h.Name(), err, ours, m.WAT())
			}
			if err == nil {
				require.NoError(t, mod.Close())
			}
		}
	}
	require.Greater(t, valid, mutations/20)
	require.Greater(t, mutations-valid, mutations/4)
}

func uses(m *wasm.Module, f wasm.Features) bool { return m.Features()&f != 0 }

// mutate changes one instruction of f and describes the change.
func mutate(r *rand.Rand, f *wasm.Func) string {
	i := r.Intn(len(f.Body))
	in := &f.Body[i]
	switch r.Intn(6) {
	case 0:
		f.Body = append(f.Body[:i:i], f.Body[i+1:]...)
		return fmt.Sprintf("instruction %d removed", i)
	case 1:
		f.Body = append(f.Body[:i+1:i+1], f.Body[i:]...)
		return fmt.Sprintf("instruction %d duplicated", i)
	case 2:
		in.Op = wasm.Op(r.Intn(wasm.NumOps))
		switch wasm.Rows[in.Op].Imm {
		case wasm.ImmBlock, wasm.ImmType:
			in.Imm = uint64([]wasm.ValType{wasm.I32, wasm.V128, wasm.BlockVoid}[r.Intn(3)])
		case wasm.ImmTable:
			f.Tables = append(f.Tables, []uint32{0, uint32(r.Intn(3)), 0})
			in.Imm = uint64(len(f.Tables) - 1)
		case wasm.ImmLabel, wasm.ImmLocal, wasm.ImmFunc:
			in.Imm = uint64(r.Intn(4))
		case wasm.ImmMem, wasm.ImmMemLane:
			in.Imm &= 0xFFFFFFFF
		}
		return fmt.Sprintf("instruction %d becomes %s", i, in.Op)
	case 3:
		stops := []wasm.Instr{{Op: wasm.Unreachable}, {Op: wasm.Return}, {Op: wasm.Br}}
		f.Body = append(f.Body[:i:i], append([]wasm.Instr{stops[r.Intn(3)]}, f.Body[i:]...)...)
		return fmt.Sprintf("unreachable code from %d on", i)
	case 4:
		// Dead code may lack operands, where validators differ.
		f.Body = append(f.Body[:i:i], append([]wasm.Instr{{Op: wasm.Unreachable}}, f.Body[i+1:]...)...)
		return fmt.Sprintf("unreachable in place of %d", i)
	default:
		in.Align = uint8(r.Intn(6))
		in.Lane = uint8(r.Intn(20))
		return fmt.Sprintf("immediates of %d", i)
	}
}
