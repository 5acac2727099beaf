package lower

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/types"
	"github.com/simtc/simtc/kernel"
)

// maxPieces is the number of accesses above which a copy or a zero-fill becomes a loop.
const maxPieces = 64

// piece is the part of an object that one access moves.
type piece struct {
	off int64
	t   alu.Type // the type in memory
	n   int
}

// pieces lists the parts of an object of type t; ok is false if there are more than
// maxPieces. A union is moved as words, whatever its members are.
func pieces(t types.Type) (out []piece, ok bool) {
	ok = addPieces(&out, t, 0)
	return out, ok
}

func addPieces(out *[]piece, t types.Type, off int64) bool {
	if r, n := regType(t); r != alu.Void {
		*out = append(*out, piece{off, memType(r), n})
		return len(*out) <= maxPieces
	}
	switch t := t.(type) {
	case *types.Array:
		for i := int64(0); i < t.Len; i++ {
			if !addPieces(out, t.Elem, off+i*t.Elem.Size()) {
				return false
			}
			if len(*out) == 0 { // elements of size 0
				break
			}
		}
	case *types.Record:
		if t.Union {
			return addWords(out, t, off)
		}
		for _, f := range t.Fields {
			if !addPieces(out, f.Type, off+f.Offset) {
				return false
			}
		}
	}
	return true
}

func addWords(out *[]piece, t types.Type, off int64) bool {
	word := min(t.Align(), 8)
	for at := int64(0); at < t.Size(); {
		for at+word > t.Size() {
			word /= 2
		}
		*out = append(*out, piece{off + at, alu.IntOf(int(word) * 8), 1})
		if len(*out) > maxPieces {
			return false
		}
		at += word
	}
	return true
}

// word returns the access type of a loop that moves an object of type t: the element type
// if all elements have the same, else an integer type.
func word(t types.Type) alu.Type {
	elem := t
	for {
		if a, ok := elem.(*types.Array); ok {
			elem = a.Elem
		} else if v, ok := elem.(*types.Vector); ok {
			elem = v.Elem
		} else {
			break
		}
	}
	if r, n := regType(elem); n == 1 {
		return memType(r)
	}
	w := min(t.Align(), 8)
	for w > 1 && t.Size()%w != 0 {
		w /= 2
	}
	return alu.IntOf(int(w) * 8)
}

// at returns the part of p at offset off with type t.
func (p place) at(off int64) place {
	p.off += off
	return p
}

// copy assigns the object from to the object to of the same type.
func (l *lowerer) copy(to, from place) {
	if isReg(to.typ) {
		l.assign(to, l.read(from))
		return
	}
	list, ok := pieces(to.typ)
	if ok {
		// Read everything before writing: C99 §6.5.16.1 allows only exact overlap, but
		// small copies cost nothing to make safe for any overlap.
		vals := make([][]*kernel.Value, len(list))
		for i, pc := range list {
			q := from.at(pc.off)
			vals[i] = l.readRaw(q, pc)
		}
		for i, pc := range list {
			q := to.at(pc.off)
			l.store(l.address(q), vals[i], q.alignment(), q.volatile)
		}
		return
	}
	t := word(to.typ)
	dst, src := l.address(to), l.address(from)
	l.loop(to.typ.Size()/int64(t.Size()), func(i *kernel.Value) {
		off := l.op(alu.Mul, i, l.i64(int64(t.Size())))
		v := l.load(t, 1, l.ptrAdd(src, off), min(from.alignment(), int64(t.Size())), from.volatile)
		l.store(l.ptrAdd(dst, off), v, min(to.alignment(), int64(t.Size())), to.volatile)
	})
}

// readRaw loads a piece in its memory type.
func (l *lowerer) readRaw(q place, pc piece) []*kernel.Value {
	if q.base == nil && q.data != nil {
		if out := l.fold(q, pc.t, pc.n); out != nil {
			return out
		}
	}
	return l.load(pc.t, pc.n, l.address(q), q.alignment(), q.volatile)
}

// loop emits a loop whose body runs for i from 0 to n-1.
func (l *lowerer) loop(n int64, body func(i *kernel.Value)) {
	i := l.newVariable(alu.I64, "")
	l.write(i, l.i64(0))
	head, done := l.newBlock("copy"), l.newBlock("")
	l.jump(head)
	l.start(head)
	body(l.readVar(i))
	next := l.op(alu.Add, l.readVar(i), l.i64(1))
	l.write(i, next)
	l.branch(l.op(alu.Ult, next, l.i64(n)), head, done)
	l.seal(head)
	l.startSealed(done)
}

// zero clears p, except for the bytes for which skip reports a later write.
func (l *lowerer) zero(p place, skip func(off, size int64) bool) {
	list, ok := pieces(p.typ)
	if ok {
		for _, pc := range list {
			if skip(pc.off, int64(pc.t.Size()*pc.n)) {
				continue
			}
			q := p.at(pc.off)
			vals := make([]*kernel.Value, pc.n)
			for i := range vals {
				vals[i] = l.konst(pc.t, 0)
			}
			l.store(l.address(q), vals, q.alignment(), q.volatile)
		}
		return
	}
	t := word(p.typ)
	dst := l.address(p)
	l.loop(p.typ.Size()/int64(t.Size()), func(i *kernel.Value) {
		off := l.op(alu.Mul, i, l.i64(int64(t.Size())))
		l.store(l.ptrAdd(dst, off), []*kernel.Value{l.konst(t, 0)}, min(p.alignment(), int64(t.Size())), p.volatile)
	})
}

// initialize evaluates the initializer of v when control reaches its declaration. Without
// one, an SSA variable becomes zero; a variable in memory keeps its old contents.
func (l *lowerer) initialize(v *ast.Var) {
	if v.Space == types.Constant || v.Global {
		return
	}
	p := l.variable(v)
	if v.Init == nil {
		if p.ssa >= 0 {
			t, n := regType(v.Type)
			for i := range n {
				l.write(p.ssa+variable(i), l.konst(t, 0))
			}
		}
		return
	}
	if p.ssa >= 0 {
		l.initRegister(v, p)
		return
	}
	if v.Init.Zero {
		stores := v.Init.Stores
		l.zero(p, func(off, size int64) bool {
			if len(stores) > maxPieces {
				return false
			}
			for _, s := range stores {
				if s.Offset <= off && off+size <= s.Offset+s.X.Type().Size() {
					return true
				}
			}
			return false
		})
	}
	for _, s := range v.Init.Stores {
		if l.full() {
			return
		}
		l.initStore(p, s)
	}
}

func (l *lowerer) initRegister(v *ast.Var, p place) {
	t, n := regType(v.Type)
	vals := make([]*kernel.Value, n)
	for i := range vals {
		vals[i] = l.konst(t, 0)
	}
	size := max(int64(memType(t).Size()), 1)
	for _, s := range v.Init.Stores {
		for i, x := range l.expr(s.X) {
			if c := s.Offset/size + int64(i); c < int64(n) {
				vals[c] = x
			}
		}
	}
	for i, x := range vals {
		if x.Name == "" && x.Op != kernel.Const {
			x.Name = l.valueName(v.Name)
		}
		l.write(p.ssa+variable(i), x)
	}
}

func (l *lowerer) initStore(p place, s ast.InitStore) {
	p = p.at(s.Offset)
	p.typ = s.X.Type()
	var put func(q place)
	switch x := s.X.(type) {
	case *ast.StringLit:
		from := place{typ: p.typ, ssa: -1, data: l.m.stringConstant(x), align: 1}
		put = func(q place) { l.copy(q, from) }
	default:
		if isReg(p.typ) {
			val := l.expr(s.X)
			put = func(q place) { l.assign(q, val) }
		} else {
			from := l.object(s.X)
			put = func(q place) { l.copy(q, from) }
		}
	}
	l.at(s.X.Pos())
	if s.Count <= maxPieces {
		for i := range max(s.Count, 1) {
			put(p.at(i * s.Stride))
		}
		return
	}
	base := l.address(p)
	l.loop(s.Count, func(i *kernel.Value) {
		q := p
		q.base, q.data, q.off = l.ptrAdd(base, l.op(alu.Mul, i, l.i64(s.Stride))), nil, 0
		q.align = min(p.alignment(), lowBit(s.Stride))
		put(q)
	})
}
