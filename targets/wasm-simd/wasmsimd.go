// Package wasmsimd compiles masked vector IR to WebAssembly modules that use the
// fixed-width SIMD instructions: a vector of W lanes becomes as many v128 locals as it
// needs, a mask lanes of all ones or zeros.
//
// The module imports env.memory and exports each function under its name, with type (i32)
// -> (). The parameter is the address of the launch context, of whose address fields only
// the low halves are used. The memory must leave Reserved bytes unused at its start and its
// end, because inactive lanes read there (nothing is ever written there). The custom
// section ABISection describes the calling convention of each function (vir.Func.ABI), as a
// JSON object with the functions by name. If the program has data, the section DataSection
// is a JSON object with the fields of vir.Data: "align", "bytes" in base64, "addresses",
// and "variables" if there are any.
//
// It must be free of the kernel IR, of linearization, and of the engine that runs the
// module.
package wasmsimd

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/targets"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
	"github.com/simtc/simtc/vir"
)

// Reserved is the size in bytes of the unused memory at the start and at the end: reads of
// inactive lanes may go there.
const Reserved = wasm.PageSize

// LocalFree is the number of bytes before and after the local memory of a group that no
// other thread may use: a masked store writes the old contents of inactive lanes back. It
// is the size of a vector of vir.MaxLanes work-items' vectors of 16 numbers.
const LocalFree = vir.MaxLanes * 16 * 8

// ABISection is the name of the custom section with the calling convention of functions.
const ABISection = "simtc"

// DataSection is the name of the custom section with the program's data.
const DataSection = "simtc.data"

// RowsSuffix is appended to the name of a function for the version that runs several rows.
const RowsSuffix = ".rows"

// Options of Compile.
type Options struct {
	// Shared means that the memory is shared between threads.
	Shared bool

	// FusedMadd means that the engine's relaxed multiply-add rounds once, as fma must;
	// without it fma is computed from other operations.
	FusedMadd bool

	// Yield makes the code call the import host.yield, of type () -> (), whenever it tests
	// the stop flag.
	Yield bool

	// Rows adds, for each function that does not run work-groups, a version named with
	// RowsSuffix. It runs vir.CtxRows rows of work-items, starting at vir.CtxStart, which
	// it increments.
	Rows bool

	// Portable avoids code that wazero compiles wrongly. So does Yield, which only wazero
	// needs.
	Portable bool

	// Data is stored in the module; the host places it in memory.
	Data vir.Data

	// Places numbers the source positions that instructions refer to; may be nil.
	Places *diag.Places
}

func (o *Options) complete() {
	if o.Places == nil {
		o.Places = &diag.Places{}
	}
}

// Compile returns a valid module of the functions, which must be numbered
// (vir.Func.Renumber) and are not modified. Errors name the function and the source
// position; code that exceeds a limit of engines is a *targets.LimitError.
func Compile(funcs []*vir.Func, opt Options) (*wasm.Module, error) {
	opt.complete()
	m := &wasm.Module{
		Memory: &wasm.Memory{
			ImportModule: "env", ImportName: "memory",
			Min: 1, Shared: opt.Shared,
		},
	}
	if opt.Shared { // otherwise any memory will do
		m.Memory.Max, m.Memory.HasMax = wasm.MaxPages, true
	}
	if opt.Yield {
		m.Imports = []wasm.Import{{Module: "host", Name: "yield", FuncName: "yield"}}
	}
	c := &compiler{m: m, opt: opt}
	for _, f := range funcs {
		m.Funcs = append(m.Funcs, &wasm.Func{
			Name: f.Name, Export: f.Name,
			Params: []wasm.Local{{Type: wasm.I32, Name: "ctx"}},
		})
	}
	for i, f := range funcs {
		if err := c.compile(f, m.Funcs[i]); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", f.Name, Name, err)
		}
	}
	for i, f := range funcs {
		if opt.Rows && !f.Groups {
			m.Funcs = append(m.Funcs, rows(f.Name, uint32(len(m.Imports)+i)))
		}
	}
	if opt.Portable || opt.Yield {
		for _, f := range m.Funcs {
			avoidSpilledOperands(f)
		}
	}
	abi := map[string]map[string]int{}
	for _, f := range funcs {
		abi[f.Name] = f.ABI().Map()
	}
	text, err := json.Marshal(abi)
	if err != nil {
		return nil, err
	}
	m.Custom = append(m.Custom, wasm.Custom{Name: ABISection, Data: text})
	if d := opt.Data; len(d.Bytes) > 0 {
		members := map[string]any{"align": d.Align, "bytes": d.Bytes, "addresses": d.Addresses}
		if d.Variables > 0 {
			members["variables"] = d.Variables
		}
		text, err := json.Marshal(members)
		if err != nil {
			return nil, err
		}
		m.Custom = append(m.Custom, wasm.Custom{Name: DataSection, Data: text})
	}
	err = m.Validate()
	var limit *wasm.LimitError
	if errors.As(err, &limit) {
		if i := slices.IndexFunc(funcs, func(f *vir.Func) bool { return f.Name == limit.Func && f.Width > 1 }); i >= 0 {
			err = fmt.Errorf("%w; a smaller width than %d needs fewer", err, funcs[i].Width)
		}
		err = &targets.LimitError{Func: limit.Func, Err: err}
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

// compiler holds state shared by the functions of a module.
type compiler struct {
	m      *wasm.Module
	opt    Options
	fma    uint32 // number of the helper function for double-precision fma
	hasFMA bool   // whether it exists
}

// rows adds the function that runs rows by calling the function that runs one, until it is
// stopped.
func rows(name string, one uint32) *wasm.Func {
	f := &wasm.Func{
		Name: name + RowsSuffix, Export: name + RowsSuffix,
		Params: []wasm.Local{{Type: wasm.I32, Name: "ctx"}},
	}
	b := wasm.NewBuilder(f)
	left := b.Local(wasm.I64, "left")
	count := func(field uint32, op wasm.Op) {
		b.Get(0)
		b.Mem(wasm.I64Load, field, 3)
		b.I64(1)
		b.Op(op)
	}
	again := b.Loop(wasm.BlockVoid)
	b.Get(0)
	b.Call(one)
	b.Get(0)
	count(vir.CtxStart+8, wasm.I64Add)
	b.Mem(wasm.I64Store, vir.CtxStart+8, 3)
	b.Get(0)
	count(vir.CtxRows, wasm.I64Sub)
	b.Tee(left)
	b.Mem(wasm.I64Store, vir.CtxRows, 3)
	b.Get(0)
	b.Mem(wasm.I64Load, vir.CtxStatus, 3)
	b.Op(wasm.I64Eqz)
	b.Get(left)
	b.I64(0)
	b.Op(wasm.I64Ne, wasm.I32And)
	b.BrIf(again)
	b.End()
	return f
}

func (c *compiler) compile(f *vir.Func, fn *wasm.Func) error {
	if len(f.Blocks) == 0 {
		return errors.New("the function has no blocks")
	}
	f, err := legalized(f)
	if err != nil {
		return err
	}
	s := newSelector(c, f, fn)
	s.function(arrange(f, s.findSwitches()))
	return s.err
}
