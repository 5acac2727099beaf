package wasm

import "encoding/binary"

// Section numbers (spec 5.5.2).
const (
	secCustom = 0
	secType   = 1
	secImport = 2
	secFunc   = 3
	secMemory = 5
	secExport = 7
	secCode   = 10
)

// LineMark says that the code of the encoded module from byte Offset up to the next mark
// comes from source line Line (0: none).
type LineMark struct {
	Offset, Line uint32
}

// Encode returns the module's binary. Equal modules give equal bytes. The module should be
// valid (see Validate); it is encoded without checks.
func (m *Module) Encode() []byte {
	code, _ := m.EncodeLines()
	return code
}

// EncodeLines is Encode and also returns the marks that map the offsets in engines' trap
// reports to source lines, sorted by offset.
func (m *Module) EncodeLines() ([]byte, []LineMark) {
	out := []byte{0, 'a', 's', 'm', 1, 0, 0, 0}
	types, typeOf := m.types()
	if len(types) > 0 {
		b := uleb(nil, uint64(len(types)))
		for _, t := range types {
			b = append(b, t...)
		}
		out = section(out, secType, b)
	}
	mem := m.Memory
	out = m.appendImports(out, typeOf)
	if len(m.Funcs) > 0 {
		b := uleb(nil, uint64(len(m.Funcs)))
		for _, t := range typeOf[len(m.Imports):] {
			b = uleb(b, uint64(t))
		}
		out = section(out, secFunc, b)
	}
	if mem != nil && mem.ImportModule == "" {
		out = section(out, secMemory, mem.appendType(uleb(nil, 1)))
	}
	out = m.appendExports(out)
	var marks []LineMark
	if len(m.Funcs) > 0 {
		out, marks = m.appendCode(out)
	}
	for _, c := range m.Custom {
		out = section(out, secCustom, append(name(nil, c.Name), c.Data...))
	}
	return m.appendNames(out), marks
}

// types numbers the distinct signatures of imports and functions in order of first use.
func (m *Module) types() (encoded []string, typeOf []int) {
	index := map[string]int{}
	use := func(params, results []ValType) {
		b := []byte{0x60}
		for _, ts := range [][]ValType{params, results} {
			b = uleb(b, uint64(len(ts)))
			for _, t := range ts {
				b = append(b, byte(t))
			}
		}
		i, ok := index[string(b)]
		if !ok {
			i = len(encoded)
			index[string(b)] = i
			encoded = append(encoded, string(b))
		}
		typeOf = append(typeOf, i)
	}
	for _, imp := range m.Imports {
		use(imp.Params, imp.Results)
	}
	for _, f := range m.Funcs {
		use(f.paramTypes(), f.Results)
	}
	return encoded, typeOf
}

func (f *Func) paramTypes() []ValType {
	ts := make([]ValType, len(f.Params))
	for i, p := range f.Params {
		ts[i] = p.Type
	}
	return ts
}

// appendImports writes the imported memory, followed by the functions.
func (m *Module) appendImports(out []byte, typeOf []int) []byte {
	var b []byte
	n := uint64(len(m.Imports))
	if mem := m.Memory; mem != nil && mem.ImportModule != "" {
		n++
		b = mem.appendType(append(name(name(b, mem.ImportModule), mem.ImportName), 2))
	}
	for i, imp := range m.Imports {
		b = uleb(append(name(name(b, imp.Module), imp.Name), 0), uint64(typeOf[i]))
	}
	if n == 0 {
		return out
	}
	return section(out, secImport, append(uleb(nil, n), b...))
}

func (mem *Memory) appendType(b []byte) []byte {
	flags := byte(0)
	if mem.HasMax {
		flags |= 1
	}
	if mem.Shared {
		flags |= 2
	}
	b = uleb(append(b, flags), uint64(mem.Min))
	if mem.HasMax {
		b = uleb(b, uint64(mem.Max))
	}
	return b
}

func (m *Module) appendExports(out []byte) []byte {
	var b []byte
	n := 0
	if m.Memory != nil && m.Memory.Export != "" {
		b = append(name(b, m.Memory.Export), 2, 0)
		n++
	}
	for i, f := range m.Funcs {
		if f.Export != "" {
			b = uleb(append(name(b, f.Export), 0), uint64(len(m.Imports)+i))
			n++
		}
	}
	if n == 0 {
		return out
	}
	return section(out, secExport, append(uleb(nil, uint64(n)), b...))
}

func (m *Module) appendCode(out []byte) ([]byte, []LineMark) {
	var marks []LineMark
	b := uleb(nil, uint64(len(m.Funcs)))
	for _, f := range m.Funcs {
		body, lines := f.encodeBody()
		b = uleb(b, uint64(len(body)))
		for _, l := range lines {
			marks = append(marks, LineMark{uint32(len(b)) + l.Offset, l.Line})
		}
		b = append(b, body...)
	}
	out = section(out, secCode, b)
	base := uint32(len(out) - len(b))
	for i := range marks {
		marks[i].Offset += base
	}
	return out, marks
}

// encodeBody returns the locals and the code of f; offsets are relative to its start.
func (f *Func) encodeBody() ([]byte, []LineMark) {
	var runs []byte
	n := uint64(0)
	for i := 0; i < len(f.Locals); {
		j := i
		for j < len(f.Locals) && f.Locals[j].Type == f.Locals[i].Type {
			j++
		}
		runs = append(uleb(runs, uint64(j-i)), byte(f.Locals[i].Type))
		n++
		i = j
	}
	b := make([]byte, 0, 16+4*len(f.Body))
	b = append(uleb(b, n), runs...)
	marks := []LineMark{{uint32(len(b)), 0}}
	line := uint32(0)
	for i := range f.Body {
		in := &f.Body[i]
		if in.Line != line {
			line = in.Line
			if i == 0 {
				marks = marks[:0]
			}
			marks = append(marks, LineMark{uint32(len(b)), line})
		}
		b = f.appendInstr(b, in)
	}
	return append(b, byte(Rows[End].Code)), marks
}

func (f *Func) appendInstr(b []byte, in *Instr) []byte {
	r := &Rows[in.Op]
	if r.Prefix == 0 {
		b = append(b, byte(r.Code))
	} else {
		b = uleb(append(b, r.Prefix), uint64(r.Code))
	}
	switch r.Imm {
	case ImmBlock:
		b = append(b, byte(in.Imm))
	case ImmType:
		b = append(b, 1, byte(in.Imm))
	case ImmLabel, ImmFunc, ImmLocal:
		b = uleb(b, in.Imm)
	case ImmTable:
		if in.Imm < uint64(len(f.Tables)) {
			t := f.Tables[in.Imm]
			b = uleb(b, uint64(len(t)-1))
			for _, l := range t {
				b = uleb(b, uint64(l))
			}
		}
	case ImmMemory:
		for range r.N {
			b = append(b, 0)
		}
	case ImmMem:
		b = uleb(uleb(b, uint64(in.Align)), in.Imm)
	case ImmMemLane:
		b = append(uleb(uleb(b, uint64(in.Align)), in.Imm), in.Lane)
	case ImmLane:
		b = append(b, in.Lane)
	case ImmI32:
		b = sleb(b, int64(int32(in.Imm)))
	case ImmI64:
		b = sleb(b, int64(in.Imm))
	case ImmF32:
		b = binary.LittleEndian.AppendUint32(b, uint32(in.Imm))
	case ImmF64:
		b = binary.LittleEndian.AppendUint64(b, in.Imm)
	case ImmV128, ImmShuffle:
		b = binary.LittleEndian.AppendUint64(b, in.Imm)
		b = binary.LittleEndian.AppendUint64(b, in.Hi)
	}
	return b
}

// appendNames writes the nonempty parts of the name section: module, function and local
// names.
func (m *Module) appendNames(out []byte) []byte {
	b := name(nil, "name")
	empty := len(b)
	if m.Name != "" {
		b = section(b, 0, name(nil, m.Name))
	}
	var funcs, locals []byte
	nFuncs, nLocals := uint64(0), uint64(0)
	for i, imp := range m.Imports {
		if imp.FuncName != "" {
			funcs = name(uleb(funcs, uint64(i)), imp.FuncName)
			nFuncs++
		}
	}
	for i, f := range m.Funcs {
		i += len(m.Imports)
		if f.Name != "" {
			funcs = name(uleb(funcs, uint64(i)), f.Name)
			nFuncs++
		}
		var one []byte
		n := uint64(0)
		for k, s := range f.localNames() {
			if s != "" {
				one = name(uleb(one, uint64(k)), s)
				n++
			}
		}
		if n > 0 {
			locals = append(uleb(uleb(locals, uint64(i)), n), one...)
			nLocals++
		}
	}
	if nFuncs > 0 {
		b = section(b, 1, append(uleb(nil, nFuncs), funcs...))
	}
	if nLocals > 0 {
		b = section(b, 2, append(uleb(nil, nLocals), locals...))
	}
	if len(b) == empty {
		return out
	}
	return section(out, secCustom, b)
}

func section(out []byte, id byte, content []byte) []byte {
	return append(uleb(append(out, id), uint64(len(content))), content...)
}

func name(b []byte, s string) []byte { return append(uleb(b, uint64(len(s))), s...) }

func uleb(b []byte, v uint64) []byte { return binary.AppendUvarint(b, v) }

func sleb(b []byte, v int64) []byte {
	for {
		c := byte(v & 0x7F)
		v >>= 7
		if v == 0 && c&0x40 == 0 || v == -1 && c&0x40 != 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}
