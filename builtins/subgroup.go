package builtins

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/check"
	"github.com/simtc/simtc/clc/parse"
	"github.com/simtc/simtc/clc/preprocess"
	"github.com/simtc/simtc/clc/types"
	"github.com/simtc/simtc/internal/diag"
)

// Group describes a sub-group or work-group function by its function in
// subgroup/subgroup.cl.
type Group struct {
	Entry    string
	Op       string // the operation of a reduction or scan, such as "add"; else ""
	Vectors  bool   // T may be a vector; the function is component-wise
	Optional int    // number of trailing arguments that are optional and default to 0
}

// groups lists the functions of OpenCL C 2.0 §6.13.15 and the sub-group functions of
// OpenCL C 3.0 §6.15.19, which are extensions (cl_khr_subgroups, cl_khr_subgroup_*).
var groups = func() []Func {
	var out []Func
	add := func(name, sig string, elems set, g Group) {
		out = append(out, Func{Name: name, Sig: sig, Elems: elems, Special: "group", Group: &g})
	}
	list := func(sig string, elems set, vectors bool, pairs string) {
		for _, p := range strings.Fields(pairs) {
			name, entry, _ := strings.Cut(p, "=")
			add(name, sig, elems, Group{Entry: entry, Vectors: vectors})
		}
	}
	list("u()", 0, false, "get_sub_group_size=size get_max_sub_group_size=max_size get_num_sub_groups=number "+
		"get_enqueued_num_sub_groups=enqueued_number get_sub_group_id=id get_sub_group_local_id=local_id")
	list("i(i)", 0, false, "sub_group_all=all sub_group_any=any sub_group_non_uniform_all=all sub_group_non_uniform_any=any "+
		"work_group_all=group_all work_group_any=group_any")
	list("i()", 0, false, "sub_group_elect=elect")
	list("i(T)", all, false, "sub_group_non_uniform_all_equal=all_equal")
	list("T(T,u)", all, true, "sub_group_broadcast=shuffle sub_group_non_uniform_broadcast=shuffle "+
		"sub_group_shuffle=shuffle sub_group_shuffle_xor=shuffle_xor sub_group_shuffle_up=shuffle_up sub_group_shuffle_down=shuffle_down "+
		"intel_sub_group_shuffle=shuffle intel_sub_group_shuffle_xor=shuffle_xor")
	list("T(T,T,u)", all, true, "intel_sub_group_shuffle_up=shuffle_up2 intel_sub_group_shuffle_down=shuffle_down2")
	list("T(T)", all, true, "sub_group_broadcast_first=broadcast_first")
	list("T(T,i)", all, true, "sub_group_rotate=rotate")
	list("T(T,i,u)", all, true, "sub_group_clustered_rotate=clustered_rotate")
	list("b(i)", 0, false, "sub_group_ballot=ballot")
	list("i(b)", 0, false, "sub_group_inverse_ballot=inverse_ballot")
	list("i(b,u)", 0, false, "sub_group_ballot_bit_extract=bit_extract")
	list("u(b)", 0, false, "sub_group_ballot_bit_count=bit_count sub_group_ballot_inclusive_scan=inclusive_scan "+
		"sub_group_ballot_exclusive_scan=exclusive_scan sub_group_ballot_find_lsb=find_lsb sub_group_ballot_find_msb=find_msb")
	for _, m := range []string{"eq", "ge", "gt", "le", "lt"} {
		add("get_sub_group_"+m+"_mask", "b()", 0, Group{Entry: m + "_mask"})
	}
	combining := func(op string, elems set, logical, uniform bool) {
		sig, clustered := "T(T)", "T(T,u)"
		if logical {
			sig, clustered = "i(i)", "i(i,u)"
		}
		for _, f := range []struct{ name, entry string }{{"reduce", "reduce"}, {"scan_inclusive", "inclusive"}, {"scan_exclusive", "exclusive"}} {
			add("sub_group_non_uniform_"+f.name+"_"+op, sig, elems, Group{Entry: f.entry, Op: op})
			if uniform {
				add("sub_group_"+f.name+"_"+op, sig, elems, Group{Entry: f.entry, Op: op})
				add("work_group_"+f.name+"_"+op, sig, elems, Group{Entry: "group_" + f.entry, Op: op})
			}
		}
		add("sub_group_clustered_reduce_"+op, clustered, elems, Group{Entry: "clustered_reduce", Op: op})
	}
	for _, op := range []string{"add", "min", "max", "mul"} {
		combining(op, all, false, op != "mul")
	}
	for _, op := range []string{"and", "or", "xor"} {
		combining(op, ints, false, false)
		combining("logical_"+op, 0, true, false)
	}
	add("work_group_broadcast", "T(T,z,z,z)", all, Group{Entry: "group_broadcast", Optional: 2})
	for name := range blockNames {
		out = append(out, Func{Name: name, Special: "block"})
	}
	slices.SortFunc(out[len(out)-len(blockNames):], func(a, b Func) int { return strings.Compare(a.Name, b.Name) })
	return append(out,
		Func{Name: "__lane", Sig: "u()", Special: "lane"},
		Func{Name: "__lanes", Sig: "u()", Special: "lanes"},
		Func{Name: "__span_rows", Sig: "i()", Special: "span_rows"},
		Func{Name: "__ballot", Sig: "z(i)", Special: "ballot"},
		Func{Name: "__shuffle", Sig: "T(T,u)", Elems: all, Special: "lane_shuffle"},
		Func{Name: "sub_group_barrier", Sig: "v(u,*)", Special: "fence"},
		Func{Name: "wait_group_events", Sig: "v(*)", Special: "barrier"},
		Func{Name: "async_work_group_copy", Special: "async", Body: "copy"},
		Func{Name: "async_work_group_strided_copy", Special: "async", Body: "copy"},
		Func{Name: "async_work_group_copy_2D2D", Special: "async_lines", Operands: 10, Body: "copy_lines"},
		Func{Name: "async_work_group_copy_3D3D", Special: "async_lines", Operands: 13, Body: "copy_lines"},
	)
}()

// blockNames lists the functions that read or write consecutive values of all lanes
// (cl_intel_subgroups and the variants for other types), with the type of each lane's
// data.
var blockNames = func() map[string]types.Type {
	out := map[string]types.Type{}
	for _, t := range []struct {
		suffix string
		elem   *types.Scalar
		most   int
	}{{"", types.UInt, 8}, {"_uc", types.UChar, 16}, {"_us", types.UShort, 8}, {"_ui", types.UInt, 8}, {"_ul", types.ULong, 8}} {
		for n := 1; n <= t.most; n *= 2 {
			digits := ""
			if n > 1 {
				digits = strconv.Itoa(n)
			}
			for _, what := range []string{"read", "write"} {
				out["intel_sub_group_block_"+what+t.suffix+digits] = types.VectorOf(t.elem, n)
			}
		}
	}
	return out
}()

// resolveBlock resolves (pointer) and (pointer, value), or with an image and byte
// coordinates instead of the pointer. A pointer to another type is converted; clang does
// the same with a warning.
func resolveBlock(f *Func, args []types.Type) (*Call, error) {
	t := blockNames[f.Name]
	c := &Call{Func: f, Elem: types.ElemScalar(t), N: types.NumElems(t), Result: t}
	write := strings.Contains(f.Name, "write")
	if len(args) == 0 {
		return nil, fmt.Errorf("it takes a pointer or an image")
	}
	switch a := args[0].(type) {
	case *types.Pointer:
		if a.Space != types.Global && a.Space != types.Local || types.ElemScalar(a.Elem) == nil || types.IsVoid(a.Elem) {
			return nil, fmt.Errorf("the first argument must be a pointer to %s in __global or __local memory, or an image2d_t", c.Elem)
		}
		if write && a.Quals&types.Const != 0 {
			return nil, fmt.Errorf("the pointer must not be to const")
		}
		c.Params = []types.Type{&types.Pointer{Elem: c.Elem, Space: a.Space, Quals: a.Quals}}
	case *types.Opaque:
		switch {
		case a.Name != "image2d_t":
			return nil, fmt.Errorf("the image must be an image2d_t")
		case write && a.Access == 0:
			return nil, fmt.Errorf("the image is read-only")
		case !write && a.Access == types.WriteOnly:
			return nil, fmt.Errorf("the image is write-only")
		}
		c.Params = []types.Type{a, types.VectorOf(types.Int, 2)}
		c.image = imageKind{entry: "block_read", dims: 2, elem: c.Elem}
		if write {
			c.image.entry = "block_write"
		}
	default:
		return nil, fmt.Errorf("the first argument must be a pointer or an image2d_t")
	}
	if write {
		c.Params, c.Result = append(c.Params, t), types.Void
	}
	if len(args) != len(c.Params) {
		return nil, fmt.Errorf("it takes %s", diag.Count(len(c.Params), "argument"))
	}
	return c, nil
}

// resolveGroup resolves rows with a Group.
func resolveGroup(f *Func, args []types.Type) (*Call, error) {
	result, params, _ := f.cut()
	if len(args) > len(params) || len(args) < len(params)-f.Group.Optional {
		return nil, fmt.Errorf("it takes %s", diag.Count(len(params), "argument"))
	}
	params = params[:len(args)]
	c := &Call{Func: f, N: 1, Elem: types.Int}
	if slices.Contains(params, "T") {
		if err := c.gentype(params, args); err != nil {
			return nil, err
		}
		if c.N > 1 && !f.Group.Vectors {
			return nil, fmt.Errorf("it does not work on %s", c.vector(c.Elem))
		}
	}
	for _, p := range params {
		c.Params = append(c.Params, c.typeOf(p[0]))
	}
	c.Result = c.typeOf(result[0])
	return c, nil
}

// resolveAsync resolves the copies between local and global memory (OpenCL C 1.2
// §6.12.10): (to, from, n, event), or with a stride before the event, which applies to
// the global side and counts elements.
func resolveAsync(f *Func, args []types.Type) (*Call, error) {
	want := 4
	if f.Name == "async_work_group_strided_copy" {
		want = 5
	}
	if len(args) != want {
		return nil, fmt.Errorf("it takes %s", diag.Count(want, "argument"))
	}
	to, ok1 := args[0].(*types.Pointer)
	from, ok2 := args[1].(*types.Pointer)
	if !ok1 || !ok2 || !types.Identical(to.Elem, from.Elem) {
		return nil, fmt.Errorf("the first two arguments must be pointers to the same type")
	}
	s := types.ElemScalar(to.Elem)
	if s == nil || s == types.Void || s == types.Bool {
		return nil, fmt.Errorf("it does not copy %s", to.Elem)
	}
	if (to.Space == types.Local) == (from.Space == types.Local) || to.Space == types.Constant || to.Quals&types.Const != 0 {
		return nil, fmt.Errorf("it copies from __global to __local memory or back")
	}
	event := types.ByName("event_t")
	c := &Call{Func: f, Elem: types.SignedOf(s.Size()).Unsigned(), N: types.NumElems(to.Elem), Result: event}
	c.Params = []types.Type{to, from, types.SizeT}
	if want == 5 {
		c.Params = append(c.Params, types.SizeT)
	}
	c.Params = append(c.Params, event)
	return c, nil
}

// resolveAsyncLines resolves the copies of lines and planes
// (cl_khr_extended_async_copies). Offsets and lengths are in elements, whose size is an
// argument.
func resolveAsyncLines(f *Func, args []types.Type) (*Call, error) {
	if len(args) != f.Operands {
		return nil, fmt.Errorf("it takes %s", diag.Count(f.Operands, "argument"))
	}
	to, ok1 := args[0].(*types.Pointer)
	from, ok2 := args[2].(*types.Pointer)
	if !ok1 || !ok2 {
		return nil, fmt.Errorf("the first and the third argument must be pointers")
	}
	if to.Quals&types.Const != 0 || !(to.Space == types.Local && from.Space == types.Global || to.Space == types.Global && from.Space == types.Local) {
		return nil, fmt.Errorf("it copies from __global to __local memory or back")
	}
	event := types.ByName("event_t")
	c := &Call{Func: f, Elem: types.UChar, N: 1, Result: event}
	c.Params = slices.Repeat([]types.Type{types.SizeT}, len(args))
	c.Params[0] = &types.Pointer{Elem: types.Void, Space: to.Space}
	c.Params[2] = &types.Pointer{Elem: types.Void, Space: from.Space, Quals: types.Const}
	c.Params[len(args)-1] = event
	return c, nil
}

//go:embed subgroup/subgroup.cl
var groupText string

// groupKey is the set of parameters of a body.
type groupKey struct {
	entry, op string
	elem      *types.Scalar
	n         int
	copies    bool
	to, from  types.Space // of the pointers of a copy
}

var groupBodies sync.Map // groupKey to *bodyEntry

// GroupBody returns the function that implements c, a call of a row with a Group or of a
// copy: for one component, or for whole elements in a copy. It is shared by the whole
// process: it must not be modified.
func GroupBody(c *Call) (*ast.Func, error) {
	k := groupKey{elem: c.Elem, n: 1}
	switch g := c.Func.Group; {
	case g == nil:
		k.entry, k.n, k.copies = c.Func.Body, c.N, true
		spaces := c.pointerSpaces()
		k.to, k.from = spaces[0], spaces[len(spaces)-1]
	default:
		k.entry, k.op = g.Entry, g.Op
	}
	if k.elem == types.Half && !c.MovesHalves() {
		k.elem = types.Float
	}
	v, ok := groupBodies.Load(k)
	if !ok {
		v, _ = groupBodies.LoadOrStore(k, &bodyEntry{})
	}
	e := v.(*bodyEntry)
	e.once.Do(func() { e.fn, e.err = compileGroup(k) })
	return e.fn, e.err
}

// MovesHalves reports whether c is a function of a row with a Group that moves or compares halves. It does
// not compute with them, so that all values keep their bits, also those of NaNs.
func (c *Call) MovesHalves() bool {
	return c.Elem == types.Half && c.Func.Group != nil && c.Func.Group.Op == ""
}

// pointerSpaces returns the address spaces of the pointer parameters.
func (c *Call) pointerSpaces() []types.Space {
	var out []types.Space
	for _, p := range c.Params {
		if p, ok := p.(*types.Pointer); ok {
			out = append(out, p.Space)
		}
	}
	return out
}

func compileGroup(k groupKey) (*ast.Func, error) {
	var errs diag.List
	toks := preprocess.Run("<builtin>/subgroup.cl", groupText, preprocess.Options{Std: "1.2", Defines: k.macros()}, &errs)
	file := parse.File(toks, parse.Options{NoContract: true}, &errs)
	if errs.Len() == 0 {
		check.Program(file, check.Options{LocalAnywhere: true}, Library{}, &errs)
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	for _, fn := range file.Funcs {
		if fn.Name == k.entry {
			return fn, nil
		}
	}
	return nil, fmt.Errorf("built-in function '%s' has no body", k.entry)
}

// macros returns the macros documented in subgroup.cl.
func (k groupKey) macros() []string {
	def := macros(k.elem, k.n)
	if k.copies {
		return append(def, "DST="+k.to.String(), "SRC="+k.from.String())
	}
	op := func(does, identity string) { def = append(def, "OP(a,b)=("+does+")", "IDENTITY=((T)("+identity+"))") }
	lo, hi, least, most := "T_MIN", "T_MAX", "min", "max"
	if k.elem.IsFloat() {
		lo, hi, least, most = "-INFINITY", "INFINITY", "fmin", "fmax"
	}
	switch k.op {
	case "add":
		op("(a)+(b)", "0")
	case "mul":
		op("(a)*(b)", "1")
	case "min":
		op(least+"((T)(a),(T)(b))", hi)
	case "max":
		op(most+"((T)(a),(T)(b))", lo)
	case "and":
		op("(a)&(b)", "-1")
	case "or":
		op("(a)|(b)", "0")
	case "xor":
		op("(a)^(b)", "0")
	}
	truth := "(x)"
	if strings.HasPrefix(k.op, "logical") {
		truth = "((x)!=0)"
	}
	def = append(def, "VALUE(x)="+truth)
	switch k.op {
	case "logical_and":
		op("(a)&(b)", "1")
	case "logical_or":
		op("(a)|(b)", "0")
	case "logical_xor":
		op("(a)^(b)", "0")
	}
	return def
}
