package lower

import (
	"bytes"
	"reflect"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/types"
	"github.com/simtc/simtc/internal/clprintf"
	"github.com/simtc/simtc/kernel"
)

// maxRecord is the largest size in bytes of the arguments of one printf call.
const maxRecord = 1 << 16

// printf lowers a call of printf to code that writes a record (kernel.PrintfUsed). The
// result is 0, or -1 if the buffer has no space for the record.
func (l *lowerer) printf(e *ast.Call) *kernel.Value {
	format := clprintf.Format{}
	ok := true
	if format.Text, ok = l.text(e.Args[0]); !ok {
		l.errorf(e.Args[0].Pos(), "the format of printf must be a string literal")
	}
	takers := clprintf.Takers(format.Text)
	var vals [][]*kernel.Value
	strings := map[int]chars{} // by argument
	for i, x := range e.Args[1:] {
		a := clprintf.Arg{Count: 1}
		if i >= len(takers) && takers != nil {
			l.warnf(x.Pos(), "printf: no conversion takes this argument; it is evaluated and ignored")
			l.expr(x)
			continue
		}
		vals = append(vals, nil)
		if text, literal := l.text(x); literal {
			a.Elem, a.Text = "string", text
			format.Args = append(format.Args, a)
			continue
		}
		ptr, pointer := x.Type().(*types.Pointer)
		text := pointer && i < len(takers) && takers[i].Verb == 's'
		var value []*kernel.Value
		if text {
			value = l.expr(x)
		}
		if text && value[0].Op == kernel.Const && value[0].Const == 0 { // as C libraries print it
			a.Elem, a.Text = "string", "(null)"
			format.Args = append(format.Args, a)
			continue
		}
		if text && isChar(ptr.Elem) {
			a.Elem = "chars"
			c := l.chars(value[0], takers[i].Precision, volatilePointer(ptr))
			strings[i], vals[i] = c, []*kernel.Value{c.length}
			format.Args = append(format.Args, a)
			continue
		} else if pointer {
			a.Elem = "pointer"
		} else {
			a.Elem, a.Count = types.ElemScalar(x.Type()).String(), types.NumElems(x.Type())
		}
		if value == nil {
			value = l.expr(x)
		}
		vals[i] = append(vals[i], value...)
		for k, v := range vals[i] {
			switch {
			case v.Type == alu.F16:
				a.Elem, vals[i][k] = "float", l.conv(alu.FPExt, alu.F32, v)
			case a.Elem == "pointer":
				vals[i][k] = l.conv(alu.Bitcast, alu.I64, v)
			}
		}
		format.Args = append(format.Args, a)
	}
	l.at(e.At)
	if err := format.Check(); err != nil && ok {
		at := e.Args[0].Pos()
		if fault, is := err.(*clprintf.Error); is && fault.Arg >= 0 {
			at = e.Args[fault.Arg+1].Pos()
		}
		l.errorf(at, "printf: %v", err)
	}
	for _, x := range format.Conversions() {
		l.f.Note(e.Args[x.Arg+1].Pos(), "printf", x.Msg)
	}
	if format.Size() > maxRecord {
		l.errorf(e.At, "printf: the arguments have more than %d bytes, which is not supported", maxRecord)
	}
	return l.record(l.format(format), format, vals, strings)
}

// chars is a string in memory whose length in bytes is known only at run time.
type chars struct {
	from, length *kernel.Value
	volatile     bool
}

// chars measures the string at p up to its NUL, but at most its precision, if given, or
// clprintf.MaxChars.
func (l *lowerer) chars(p *kernel.Value, precision int, volatile bool) chars {
	limit := int64(clprintf.MaxChars)
	if precision >= 0 {
		limit = min(limit, int64(precision))
	}
	n := l.newVariable(alu.I64, "length")
	l.write(n, l.i64(0))
	head, more, next, done := l.newBlock("string"), l.newBlock("char"), l.newBlock("next"), l.newBlock("measured")
	l.jump(head)
	l.start(head)
	l.branch(l.op(alu.Ult, l.readVar(n), l.i64(limit)), more, done)
	l.startSealed(more)
	c := l.load(alu.I8, 1, l.ptrAdd(p, l.readVar(n)), 1, volatile)[0]
	l.branch(l.op(alu.Ne, c, l.konst(alu.I8, 0)), next, done)
	l.startSealed(next)
	l.write(n, l.op(alu.Add, l.readVar(n), l.i64(1)))
	l.jump(head)
	l.seal(head)
	l.startSealed(done)
	return chars{p, l.readVar(n), volatile}
}

// padded returns n rounded up to a multiple of 8.
func (l *lowerer) padded(n *kernel.Value) *kernel.Value {
	return l.op(alu.And, l.op(alu.Add, n, l.i64(7)), l.i64(-8))
}

// copyChars stores the bytes of c at p.
func (l *lowerer) copyChars(p *kernel.Value, c chars) {
	i := l.newVariable(alu.I64, "")
	l.write(i, l.i64(0))
	head, body, done := l.newBlock("copy"), l.newBlock("char"), l.newBlock("copied")
	l.jump(head)
	l.start(head)
	l.branch(l.op(alu.Ult, l.readVar(i), c.length), body, done)
	l.startSealed(body)
	at := l.readVar(i)
	l.store(l.ptrAdd(p, at), l.load(alu.I8, 1, l.ptrAdd(c.from, at), 1, c.volatile), 1, false)
	l.write(i, l.op(alu.Add, at, l.i64(1)))
	l.jump(head)
	l.seal(head)
	l.startSealed(done)
}

// isChar reports whether t is a character type.
func isChar(t types.Type) bool {
	s := types.ScalarType(t)
	return s == types.Char || s == types.UChar
}

// text returns the string that x points to if it is known at compile time: a literal or a
// __constant array.
func (l *lowerer) text(x ast.Expr) (string, bool) {
	for {
		c, ok := x.(*ast.Cast)
		if !ok {
			return "", false
		}
		x = c.X
		if c.Kind == ast.ArrayDecay {
			break
		}
	}
	if !isChar(arrayElem(x.Type())) {
		return "", false
	}
	switch x := x.(type) {
	case *ast.StringLit:
		return untilNUL(x.Value), true
	case *ast.Ident:
		if x.Var != nil {
			if p := l.variable(x.Var); p.data != nil && p.base == nil {
				return untilNUL(p.data.bytes), true
			}
		}
	}
	return "", false
}

func arrayElem(t types.Type) types.Type {
	if a, ok := t.(*types.Array); ok {
		return a.Elem
	}
	return types.Void
}

func untilNUL(b []byte) string {
	text, _, _ := bytes.Cut(b, []byte{0})
	return string(text)
}

// format returns the index of a format in the module.
func (l *lowerer) format(f clprintf.Format) int {
	for i, x := range l.f.Formats {
		if reflect.DeepEqual(x, f) {
			return i
		}
	}
	l.f.Formats = append(l.f.Formats, f)
	return len(l.f.Formats) - 1
}

// record stores one record of the given format.
func (l *lowerer) record(number int, f clprintf.Format, vals [][]*kernel.Value, strings map[int]chars) *kernel.Value {
	if l.f.PrintfArg() < 0 {
		l.f.Args = append(l.f.Args, kernel.Arg{
			Name: "printf", CType: "printf", Kind: kernel.ArgPrintf, Type: alu.PtrGlobal, Elem: "ulong", Count: 1, Size: 8, Align: 8,
		})
		l.f.LayoutArgs()
	}
	buffer := l.emit(kernel.Argument, alu.PtrGlobal)
	buffer.Index = l.f.PrintfArg()
	add := func(at int, n *kernel.Value) *kernel.Value {
		v := l.emit(kernel.Atomic, alu.I64, l.ptrAdd(buffer, l.i64(int64(at))), n)
		v.Index, v.Name = int(alu.RMWAdd), "printf"
		return v
	}
	size := l.i64(int64(kernel.PrintfRecord + f.Size()))
	for i := range f.Args {
		if c, ok := strings[i]; ok {
			size = l.op(alu.Add, size, l.padded(c.length))
		}
	}
	at := add(kernel.PrintfUsed, size)
	room := l.load(alu.I64, 1, l.ptrAdd(buffer, l.i64(kernel.PrintfRoom)), 8, false)[0]
	fits := l.op(alu.Ule, l.op(alu.Add, at, size), room)
	write, lost, done := l.newBlock("print"), l.newBlock("lost"), l.newBlock("printed")
	l.branch(fits, write, lost)
	l.startSealed(write)
	p := l.ptrAdd(buffer, at)
	item := globalLinearID(l, nil, nil, nil)[0]
	// The header comes first, as a launch that fails may leave an incomplete record.
	l.store(p, []*kernel.Value{l.i64(int64(number) + 1), item}, 8, false)
	off := int64(kernel.PrintfRecord)
	for i, a := range f.Args {
		if n, _ := clprintf.ElemSize(a.Elem); n > 0 {
			l.store(l.ptrAdd(p, l.i64(off)), vals[i], 8, false)
		}
		off += int64(a.Size())
	}
	p = l.ptrAdd(p, l.i64(off))
	for i := range f.Args {
		if c, ok := strings[i]; ok {
			l.copyChars(p, c)
			p = l.ptrAdd(p, l.padded(c.length))
		}
	}
	l.jump(done)
	l.startSealed(lost)
	add(kernel.PrintfLost, l.i64(1))
	l.jump(done)
	l.startSealed(done)
	return l.op(alu.Sub, l.conv(alu.ZExt, alu.I32, fits), l.konst(alu.I32, 1))
}
