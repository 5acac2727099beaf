package opt

import (
	"encoding/binary"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// Forward replaces loads from private objects by the value last stored or
// loaded there, and removes stores to private objects that are never read. A
// load of read-only program data at a constant offset becomes a constant.
//
// Only objects whose addresses do not escape are considered: no other access can alias
// them. At a join, the values that are available on all edges are available; loadPRE handles
// values with different names.
//
// requires: no unreachable blocks; maintains: SSA
func Forward(f *kernel.Func, st Stats) {
	if !hasObjects(f) {
		return
	}
	for i := 0; i < maxForward && forwardOnce(f, st); i++ {
	}
}

// maxForward limits the repetitions: inserted parameters make further loads redundant.
const maxForward = 3

// forwardOnce is one repetition of Forward; it reports whether it inserted parameters.
func forwardOnce(f *kernel.Func, st Stats) bool {
	fw := &forwarding{f: f, r: NewReplacer(f)}
	fw.addresses()
	if fw.data {
		st.Add("constant loads folded", fw.foldData())
	}
	inserted := 0
	if fw.private {
		if inserted = fw.loadPRE(); inserted > 0 {
			st.Add("load PRE parameters", inserted)
			fw.addresses()
		}
		fw.collectParts()
		st.Add("private loads forwarded", fw.forward())
	}
	fw.r.Apply(f)
	if fw.private {
		st.Add("private stores removed", fw.deadStores())
		fw.addresses() // the roots of addresses may have been loads
		st.Add("indices shared", fw.shareIndices())
	}
	if inserted > 0 { // whose edges may all pass one value now
		RemoveTrivialParams(f, nil)
	}
	if fw.r.n > 0 || fw.private {
		RemoveDead(f, nil)
	}
	return inserted > 0
}

// hasObjects reports whether f has private objects or program data.
func hasObjects(f *kernel.Func) bool {
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op == kernel.Alloca || v.Op == kernel.DataAddr {
				return true
			}
		}
	}
	return false
}

// address is a decomposed pointer: object, an Alloca or DataAddr, plus
// base*scale + at bytes as in linear, or plus at alone if base is object. A base of
// pointer type points into object itself.
type address struct {
	object *kernel.Value
	base   *kernel.Value
	scale  int
	at     int
}

// plus returns the address o bytes after a; v is the pointer that computes it.
func (a address) plus(o linear, v *kernel.Value) address {
	at := a.at + o.at
	switch {
	case !small(int64(at)) || a.object.Op == kernel.Alloca && a.object.Size > maxLinear:
	case o.root == nil:
		a.at = at
		return a
	case a.base == a.object:
		return address{a.object, o.root, o.scale, at}
	}
	return address{a.object, v, 1, 0}
}

// sameBase reports whether a and b are a known distance apart, b.at - a.at.
func (a address) sameBase(b address) bool {
	return a.object == b.object && a.base == b.base && a.scale == b.scale
}

type forwarding struct {
	f       *kernel.Func
	r       *Replacer
	assumed map[*kernel.Block][]cell          // assumed available at the start of a block
	in      [][]cell                          // by block ID: available at its start
	out     [][]cell                          // by block ID: available at its end
	addr    []address                         // by value ID
	escaped []bool                            // by value ID of an Alloca
	read    []bool                            // by value ID of an Alloca: some load of it remains
	data    bool                              // there is a load from DataAddr
	private bool                              // there is an access to an object that does not escape
	parts   map[*kernel.Value][]*kernel.Value // Load -> its Components
}

// addresses decomposes every pointer and finds the objects that escape.
func (fw *forwarding) addresses() {
	n := fw.f.NumValues()
	fw.data, fw.private = false, false
	fw.addr = make([]address, n)
	fw.escaped, fw.read = make([]bool, n), make([]bool, n)
	escape := func(v *kernel.Value) {
		if o := fw.addr[v.ID].object; o != nil {
			fw.escaped[o.ID] = true
		}
	}
	var accessed []*kernel.Value
	for _, id := range fw.f.Graph().ReversePostOrder() {
		b := fw.f.Blocks[id]
		for _, v := range b.Values {
			args := v.Args
			switch v.Op {
			case kernel.Alloca, kernel.DataAddr:
				fw.addr[v.ID] = address{v, v, 1, 0}
			case kernel.PtrAdd:
				if a := fw.addr[args[0].ID]; a.object != nil {
					fw.addr[v.ID] = a.plus(linearOf(args[1], linearDepth), v)
				}
				args = args[1:]
			case kernel.Load, kernel.Store:
				if o := fw.addr[args[0].ID].object; o != nil {
					if o.Op == kernel.DataAddr {
						fw.data = true
					} else {
						accessed = append(accessed, o)
					}
				}
				args = args[1:]
			}
			for _, a := range args {
				escape(a)
			}
		}
		if b.Cond != nil {
			escape(b.Cond)
		}
		for _, e := range b.Edges {
			for _, a := range e.Args {
				escape(a)
			}
		}
	}
	for _, o := range accessed {
		fw.private = fw.private || !fw.escaped[o.ID]
	}
}

func (fw *forwarding) collectParts() {
	fw.parts = map[*kernel.Value][]*kernel.Value{}
	for _, b := range fw.f.Blocks {
		for _, v := range b.Values {
			if v.Op == kernel.Component {
				if _, ok := fw.access(v.Args[0]); ok {
					fw.parts[v.Args[0]] = append(fw.parts[v.Args[0]], v)
				}
			}
		}
	}
}

// access returns the address of a load or store of an object that does not escape.
func (fw *forwarding) access(v *kernel.Value) (address, bool) {
	if v.Op != kernel.Load && v.Op != kernel.Store || v.Args[0].ID >= len(fw.addr) {
		return address{}, false
	}
	a := fw.addr[v.Args[0].ID]
	return a, a.object != nil && a.object.Op == kernel.Alloca && !fw.escaped[a.object.ID]
}

// foldData replaces loads of single components of program data by constants.
func (fw *forwarding) foldData() int {
	n := 0
	for _, b := range fw.f.Blocks {
		for _, v := range b.Values {
			load, k := v, 0
			if v.Op == kernel.Component {
				load, k = v.Args[0], v.Index
			} else if v.Op != kernel.Load || v.Count > 1 {
				continue
			}
			a := fw.addr[load.Args[0].ID]
			if a.object == nil || a.object.Op != kernel.DataAddr || a.base != a.object || load.Volatile {
				continue
			}
			data, size := fw.f.Data[a.object.Index], load.Type.Size()
			bytes, at := data.Bytes, a.at+k*size
			if at < 0 || at+size > len(bytes) {
				continue
			}
			if _, held := data.AddressIn(at, size); held {
				continue
			}
			var word [8]byte
			copy(word[:], bytes[at:at+size])
			fw.r.Set(v, fw.f.Const(v.Type, binary.LittleEndian.Uint64(word[:])))
			n++
		}
	}
	return n
}

func (fw *forwarding) forward() int {
	n := 0
	g := fw.f.Graph()
	fw.flow(g)
	for _, id := range g.ReversePostOrder() {
		cells := slices.Clone(fw.in[id])
		n += fw.block(fw.f.Blocks[id], &cells)
	}
	return n
}

func (fw *forwarding) block(b *kernel.Block, cells *[]cell) int {
	n := 0
	var out []*kernel.Value // nil until a value is inserted
	for i, v := range b.Values {
		a, ok := fw.access(v)
		if ok && !v.Volatile {
			t := v.Accessed()
			if v.Op == kernel.Store {
				fw.store(v, a, t, cells)
			} else if made, ok := fw.load(b, v, a, cells); ok {
				n++
				if len(made) > 0 && out == nil {
					out = append(make([]*kernel.Value, 0, len(b.Values)+len(made)), b.Values[:i]...)
				}
				out = append(out, made...)
				if out == nil {
					continue
				}
			}
		} else if ok && v.Op == kernel.Store { // volatile
			kill(cells, a, v.Count*v.Accessed().Size())
		}
		if out != nil {
			out = append(out, v)
		}
	}
	if out != nil {
		b.Values = out
	}
	return n
}

// load replaces v if all its components are available; otherwise it makes them available.
// The caller inserts the returned operations before v.
func (fw *forwarding) load(b *kernel.Block, v *kernel.Value, a address, cells *[]cell) (made []*kernel.Value, ok bool) {
	found, ok := learn(v, a, cells)
	if !ok {
		return nil, false
	}
	insert := func(op kernel.Op, t kernel.Type, x *kernel.Value) *kernel.Value {
		c := b.NewValue(op, t, x)
		c.Pos = v.Pos
		made = append(made, c)
		return c
	}
	for j, c := range found {
		x := fw.r.Find(c.value)
		if c.part >= 0 {
			x = insert(kernel.Component, c.value.Type, c.value)
			x.Index = c.part
			fw.parts[c.value] = append(fw.parts[c.value], x)
		}
		switch {
		case x.Type == v.Type:
		case x.Op == kernel.Const:
			x = fw.f.Const(v.Type, x.Const)
		default:
			x = insert(alu.Bitcast, v.Type, x)
		}
		if v.Count == 1 {
			fw.r.Set(v, x)
			continue
		}
		for _, p := range fw.parts[v] {
			if p.Index == j {
				fw.r.Set(p, x)
			}
		}
	}
	return made, true
}

// deadStores removes stores to objects that are never read, and stores whose
// bytes are all overwritten before a read or the end of the kernel.
func (fw *forwarding) deadStores() int {
	// Replaced loads are still in the code, but have no uses.
	used := make([]bool, fw.f.NumValues())
	for _, b := range fw.f.Blocks {
		for _, v := range b.Values {
			for _, a := range v.Args {
				used[a.ID] = true
			}
		}
		if b.Cond != nil {
			used[b.Cond.ID] = true
		}
		for _, e := range b.Edges {
			for _, a := range e.Args {
				used[a.ID] = true
			}
		}
	}
	reads := func(v *kernel.Value) bool {
		if v.Volatile {
			return true
		}
		if v.Count == 1 {
			return used[v.ID]
		}
		for _, c := range fw.parts[v] {
			if used[c.ID] {
				return true
			}
		}
		return false
	}
	for _, b := range fw.f.Blocks {
		for _, v := range b.Values {
			if a, ok := fw.access(v); ok && v.Op == kernel.Load && reads(v) {
				fw.read[a.object.ID] = true
			}
		}
	}
	n := 0
	for _, b := range fw.f.Blocks {
		n += fw.deadIn(b, reads)
	}
	return n
}

func (fw *forwarding) deadIn(b *kernel.Block, reads func(*kernel.Value) bool) int {
	var over []cell // overwritten later, before any read
	var live map[*kernel.Value]bool
	if b.Kind == kernel.Return { // only loads of this block follow
		live = map[*kernel.Value]bool{}
	}
	var dead []int // positions, the last first
	for i := len(b.Values) - 1; i >= 0; i-- {
		v := b.Values[i]
		a, ok := fw.access(v)
		if !ok {
			continue
		}
		size := v.Count * v.Accessed().Size()
		if v.Op == kernel.Load {
			if reads(v) {
				kill(&over, a, size)
				if live != nil {
					live[a.object] = true
				}
			}
			continue
		}
		if v.Volatile {
			continue
		}
		gone := !fw.read[a.object.ID] || live != nil && !live[a.object]
		for _, c := range over {
			gone = gone || c.sameBase(a) && c.at <= a.at && a.at+size <= c.at+c.size
		}
		if gone {
			dead = append(dead, i)
		} else {
			remember(&over, cell{a, size, v, -1})
		}
	}
	if len(dead) > 0 {
		for _, i := range dead {
			b.Values[i] = nil
		}
		b.Values = slices.DeleteFunc(b.Values, func(v *kernel.Value) bool { return v == nil })
	}
	return len(dead)
}
