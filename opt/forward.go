package opt

import (
	"encoding/binary"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// Forward replaces loads from private objects by the value last stored or
// loaded there, and removes stores to private objects that nothing reads. A
// load of read-only program data at a constant place becomes a constant.
//
// Only objects whose addresses are used for nothing but accesses are looked
// at; no other access can touch them. What is known flows from a block to its
// successors without other predecessors.
//
// requires: no unreachable blocks; maintains: SSA
func Forward(f *kernel.Func, st Stats) {
	if !hasObjects(f) {
		return
	}
	fw := &forwarding{f: f, r: newReplacer(f)}
	fw.addresses()
	if fw.data {
		st.Add("constant loads folded", fw.foldData())
	}
	if fw.private {
		fw.collectParts()
		st.Add("private loads forwarded", fw.forward())
	}
	fw.r.apply(f)
	if fw.private {
		st.Add("private stores removed", fw.deadStores())
	}
	if fw.r.n > 0 || fw.private {
		RemoveDead(f, nil)
	}
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

// address is a pointer taken apart: base is the value that the constant at was
// added to, object the Alloca or DataAddr that base points into, if known.
type address struct {
	object *kernel.Value
	base   *kernel.Value
	at     int
}

type forwarding struct {
	f       *kernel.Func
	r       *replacer
	addr    []address                         // by value ID
	escaped []bool                            // by value ID of an Alloca
	read    []bool                            // by value ID of an Alloca: some load of it remains
	data    bool                              // there is a load from DataAddr
	private bool                              // there is an access to an object that does not escape
	parts   map[*kernel.Value][]*kernel.Value // Load -> its Components
}

// addresses takes every pointer apart and finds the objects that escape.
func (fw *forwarding) addresses() {
	n := fw.f.NumValues()
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
				fw.addr[v.ID] = address{v, v, 0}
			case kernel.PtrAdd:
				a := fw.addr[args[0].ID]
				switch {
				case a.base == nil:
				case args[1].Op == kernel.Const:
					a.at += int(int64(args[1].Const))
					fw.addr[v.ID] = a
				default:
					fw.addr[v.ID] = address{a.object, v, 0}
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

// access returns where a load or store goes if that is an object that does
// not escape.
func (fw *forwarding) access(v *kernel.Value) (address, bool) {
	if v.Op != kernel.Load && v.Op != kernel.Store || v.Args[0].ID >= len(fw.addr) {
		return address{}, false
	}
	a := fw.addr[v.Args[0].ID]
	return a, a.object != nil && a.object.Op == kernel.Alloca && !fw.escaped[a.object.ID]
}

// foldData replaces loads of one component from program data.
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
			bytes, size := fw.f.Data[a.object.Index].Bytes, load.Type.Size()
			at := a.at + k*size
			if at < 0 || at+size > len(bytes) {
				continue
			}
			var word [8]byte
			copy(word[:], bytes[at:at+size])
			fw.r.set(v, fw.f.Const(v.Type, binary.LittleEndian.Uint64(word[:])))
			n++
		}
	}
	return n
}

// cell is a place of one component whose contents are known: a value, or
// component part of a load of several.
type cell struct {
	address
	size  int
	value *kernel.Value
	part  int // -1: value itself
}

// maxCells bounds what is remembered; the oldest cells are forgotten.
const maxCells = 64

// overlaps reports whether an access of size bytes at a may touch the cell.
func (c *cell) overlaps(a address, size int) bool {
	if c.object != a.object {
		return false
	}
	return c.base != a.base || c.at < a.at+size && a.at < c.at+c.size
}

func (fw *forwarding) forward() int {
	n := 0
	in := inEdges(fw.f)
	known := make([][]cell, len(fw.f.Blocks)) // at the end of each block
	for _, id := range fw.f.Graph().ReversePostOrder() {
		b := fw.f.Blocks[id]
		var cells []cell
		if len(in[id]) == 1 { // then its source comes first in this order
			cells = append(cells, known[in[id][0].from.ID]...)
		}
		n += fw.block(b, &cells)
		known[id] = cells
	}
	return n
}

func (fw *forwarding) block(b *kernel.Block, cells *[]cell) int {
	n := 0
	var out []*kernel.Value // made once something is inserted
	for i, v := range b.Values {
		a, ok := fw.access(v)
		if ok && !v.Volatile {
			t := accessType(v)
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
			kill(cells, a, v.Count*accessType(v).Size())
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

func kill(cells *[]cell, a address, size int) {
	kept := (*cells)[:0]
	for _, c := range *cells {
		if !c.overlaps(a, size) {
			kept = append(kept, c)
		}
	}
	*cells = kept
}

func remember(cells *[]cell, c cell) {
	if len(*cells) >= maxCells {
		*cells = append((*cells)[:0], (*cells)[1:]...)
	}
	*cells = append(*cells, c)
}

func (fw *forwarding) store(v *kernel.Value, a address, t kernel.Type, cells *[]cell) {
	size := t.Size()
	kill(cells, a, v.Count*size)
	for j, x := range v.Args[1:] {
		c := cell{a, size, fw.r.find(x), -1}
		c.at += j * size
		remember(cells, c)
	}
}

// load replaces v if all its components are known; else it makes them known.
// The caller places the operations that the values need before v.
func (fw *forwarding) load(b *kernel.Block, v *kernel.Value, a address, cells *[]cell) (made []*kernel.Value, ok bool) {
	size := v.Type.Size()
	found := make([]*cell, v.Count)
	all := true
	for j := range found {
		for i := range *cells {
			c := &(*cells)[i]
			if c.object == a.object && c.base == a.base && c.at == a.at+j*size && c.size == size {
				found[j] = c
			}
		}
		all = all && found[j] != nil
	}
	if !all {
		for j := range v.Count {
			if found[j] == nil {
				c := cell{a, size, v, j}
				if v.Count == 1 {
					c.part = -1
				}
				c.at += j * size
				remember(cells, c)
			}
		}
		return nil, false
	}
	insert := func(op kernel.Op, t kernel.Type, x *kernel.Value) *kernel.Value {
		c := b.NewValue(op, t, x)
		c.Pos = v.Pos
		made = append(made, c)
		return c
	}
	for j, c := range found {
		x := fw.r.find(c.value)
		if c.part >= 0 {
			x = insert(kernel.Component, c.value.Type, c.value)
			x.Index = c.part
		}
		switch {
		case x.Type == v.Type:
		case x.Op == kernel.Const:
			x = fw.f.Const(v.Type, x.Const)
		default:
			x = insert(alu.Bitcast, v.Type, x)
		}
		if v.Count == 1 {
			fw.r.set(v, x)
			continue
		}
		for _, p := range fw.parts[v] {
			if p.Index == j {
				fw.r.set(p, x)
			}
		}
	}
	return made, true
}

// deadStores removes stores to objects that are never read, and stores whose
// bytes are all stored again before anything may read them or the kernel ends.
func (fw *forwarding) deadStores() int {
	// Loads that were replaced are still there but nobody uses them.
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
	var over []cell // stored again below, before any read
	var live map[*kernel.Value]bool
	if b.Kind == kernel.Return { // nothing below reads but these
		live = map[*kernel.Value]bool{}
	}
	var dead []int // positions, the last first
	for i := len(b.Values) - 1; i >= 0; i-- {
		v := b.Values[i]
		a, ok := fw.access(v)
		if !ok {
			continue
		}
		size := v.Count * accessType(v).Size()
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
			gone = gone || c.object == a.object && c.base == a.base && c.at <= a.at && a.at+size <= c.at+c.size
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
