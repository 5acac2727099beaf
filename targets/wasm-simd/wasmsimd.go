// Package wasmsimd turns masked vector IR into WebAssembly modules that use the
// fixed-width SIMD instructions: a vector of W lanes becomes as many v128
// locals as it needs, a mask lanes of all ones or zeros.
//
// The module imports env.memory and exports each function under its name, of
// type (i32) -> (): the parameter is the address of the launch context, of
// whose address fields only the low halves count. The memory must leave
// Reserved bytes unused at its start and its end, because inactive lanes read
// there (nothing is ever written there). How each function is called (vir.Func.ABI) is
// told by the custom section of the name ABISection: an object of JSON with the
// functions by name. If the program has data, the section DataSection is another with
// its members (vir.Data): "align", "bytes" in base64, "addresses", "variables" if there are any.
//
// It must not know the kernel IR, how control flow became uniform, nor the
// engine that runs the module.
package wasmsimd

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
	"github.com/simtc/simtc/vir"
)

// Reserved is how many bytes at the start and at the end of the memory hold
// nothing of the program: reads of inactive lanes may go there.
const Reserved = wasm.PageSize

// LocalFree is how many bytes before and behind the local memory of a group must belong
// to nobody that another thread runs for: a store whose mask leaves lanes out stores what
// they find there back. A vector of vir.MaxLanes work-items' vectors of 16 numbers is as long.
const LocalFree = vir.MaxLanes * 16 * 8

// ABISection is the name of the section that tells how functions are called.
const ABISection = "simtc"

// DataSection is the name of the section that has the program's data.
const DataSection = "simtc.data"

// RowsSuffix follows the name of a function in that of the one that runs several rows.
const RowsSuffix = ".rows"

// Options of Compile.
type Options struct {
	// Shared says that the memory is shared between threads.
	Shared bool

	// FusedMadd says that the engine's relaxed multiply-add rounds once, as
	// fma must; without it fma is computed from other operations.
	FusedMadd bool

	// Yield has the code call the import host.yield, of type () -> (), whenever
	// it looks at the stop flag.
	Yield bool

	// Rows adds a function for each one that does not run work-groups, under its name and
	// RowsSuffix: it runs as many rows of work-items as vir.CtxRows says, from vir.CtxStart
	// on, which it counts up.
	Rows bool

	// Portable code avoids what wazero compiles wrongly. Code that yields does
	// too, wazero being the engine that needs it to.
	Portable bool

	// Data is put into the module for others to place.
	Data vir.Data

	// Places gets the places that instructions name by number; may be nil.
	Places *diag.Places
}

func (o *Options) complete() {
	if o.Places == nil {
		o.Places = &diag.Places{}
	}
}

// Compile gives a valid module of the functions, which are numbered (vir.Func.Renumber)
// and stay as they are. Errors name the function and
// the place in the source.
func Compile(funcs []*vir.Func, opt Options) (*wasm.Module, error) {
	opt.complete()
	m := &wasm.Module{
		Memory: &wasm.Memory{
			ImportModule: "env", ImportName: "memory",
			Min: 1, Shared: opt.Shared,
		},
	}
	if opt.Shared { // else any memory will do
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
			return nil, fmt.Errorf("%s: wasm-simd: %w", f.Name, err)
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
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

// compiler holds what the functions of a module share.
type compiler struct {
	m    *wasm.Module
	opt  Options
	fma  uint32 // number of the helper function for double fma
	fmas bool   // it exists
}

// rows makes the function that runs rows by calling the function that runs one, until that
// has been stopped.
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
	s := newSelector(c, f, fn)
	s.function(arrange(f, s.findSwitches()))
	return s.err
}
