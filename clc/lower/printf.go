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

// maxRecord bounds what a call of printf prints, in bytes of arguments.
const maxRecord = 1 << 16

// printf lowers a call of printf: it leaves a record (kernel.PrintfUsed) and
// its result is 0, or -1 where there is no room for one.
func (l *lowerer) printf(e *ast.Call) *kernel.Value {
	format := clprintf.Format{}
	ok := true
	if format.Text, ok = l.text(e.Args[0]); !ok {
		l.errorf(e.Args[0].Pos(), "the format of printf must be a string literal")
	}
	vals := make([][]*kernel.Value, len(e.Args)-1)
	for i, x := range e.Args[1:] {
		a := clprintf.Arg{Count: 1}
		if text, literal := l.text(x); literal {
			a.Elem, a.Text = "string", text
			format.Args = append(format.Args, a)
			continue
		}
		if _, pointer := x.Type().(*types.Pointer); pointer {
			a.Elem = "pointer"
		} else {
			a.Elem, a.Count = types.ElemScalar(x.Type()).String(), types.NumElems(x.Type())
		}
		vals[i] = append(vals[i], l.expr(x)...)
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
	return l.record(l.format(format), format, vals)
}

// text returns the string that x points to, which is known: a literal, or a
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
	if s := types.ElemScalar(arrayElem(x.Type())); s != types.Char && s != types.UChar {
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

// format returns the number of a format.
func (l *lowerer) format(f clprintf.Format) int {
	for i, x := range l.f.Formats {
		if reflect.DeepEqual(x, f) {
			return i
		}
	}
	l.f.Formats = append(l.f.Formats, f)
	return len(l.f.Formats) - 1
}

// record writes a record of the given format.
func (l *lowerer) record(number int, f clprintf.Format, vals [][]*kernel.Value) *kernel.Value {
	if l.f.PrintfArg() < 0 {
		l.f.Args = append(l.f.Args, kernel.Arg{
			Name: "printf", CType: "printf", Kind: kernel.ArgPrintf, Type: alu.PtrGlobal, Elem: "ulong", Count: 1, Size: 8, Align: 8,
		})
		l.f.LayoutArgs()
	}
	buffer := l.emit(kernel.Argument, alu.PtrGlobal)
	buffer.Index = l.f.PrintfArg()
	add := func(at int, n int64) *kernel.Value {
		v := l.emit(kernel.Atomic, alu.I64, l.ptrAdd(buffer, l.i64(int64(at))), l.i64(n))
		v.Index, v.Name = int(alu.RMWAdd), "printf"
		return v
	}
	size := int64(kernel.PrintfRecord + f.Size())
	at := add(kernel.PrintfUsed, size)
	room := l.load(alu.I64, 1, l.ptrAdd(buffer, l.i64(kernel.PrintfRoom)), 8, false)[0]
	fits := l.op(alu.Ule, l.op(alu.Add, at, l.i64(size)), room)
	write, lost, done := l.newBlock("print"), l.newBlock("lost"), l.newBlock("printed")
	l.branch(fits, write, lost)
	l.startSealed(write)
	p := l.ptrAdd(buffer, at)
	item := globalLinearID(l, nil, nil, nil)[0]
	// The header comes first: a launch that fails may leave parts of a record.
	l.store(p, []*kernel.Value{l.i64(int64(number) + 1), item}, 8, false)
	off := int64(kernel.PrintfRecord)
	for i, a := range f.Args {
		if n, _ := clprintf.ElemSize(a.Elem); n > 0 {
			l.store(l.ptrAdd(p, l.i64(off)), vals[i], 8, false)
		}
		off += int64(a.Size())
	}
	l.jump(done)
	l.startSealed(lost)
	add(kernel.PrintfLost, 1)
	l.jump(done)
	l.startSealed(done)
	return l.op(alu.Sub, l.conv(alu.ZExt, alu.I32, fits), l.konst(alu.I32, 1))
}
