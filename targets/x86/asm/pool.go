package asm

import "sort"

// ConstID identifies a constant of a Pool.
type ConstID int32

// Pool holds the constants that code reads by rip-relative addresses. Equal constants are
// stored once. The zero value is an empty pool.
type Pool struct {
	entries []poolEntry
	byData  map[string]ConstID
}

type poolEntry struct {
	data  string
	align int
	table []Label // of a jump table; data has its size
}

// Add returns the ID of a constant with these bytes, aligned to the largest power of two, up to
// 64, that divides its size.
func (p *Pool) Add(data []byte) ConstID {
	align := len(data) & -len(data)
	if align > 64 {
		align = 64
	}
	if id, ok := p.byData[string(data)]; ok {
		return id
	}
	if p.byData == nil {
		p.byData = make(map[string]ConstID)
	}
	id := ConstID(len(p.entries))
	p.entries = append(p.entries, poolEntry{data: string(data), align: max(align, 1)})
	p.byData[string(data)] = id
	return id
}

// AddUint returns the ID of the n-byte little-endian constant v, n <= 8.
func (p *Pool) AddUint(v uint64, n int) ConstID {
	var b [8]byte
	for i := range b {
		b[i] = byte(v >> (8 * i))
	}
	return p.Add(b[:n])
}

// AddTable returns the ID of a new table of n labels, see SetTable.
func (p *Pool) AddTable(n int) ConstID {
	p.entries = append(p.entries, poolEntry{data: string(make([]byte, 4*n)), align: 4, table: make([]Label, n)})
	return ConstID(len(p.entries) - 1)
}

// SetTable sets the labels of a table. Entries have 32 bits and are relative to the start of
// the table.
func (p *Pool) SetTable(id ConstID, labels []Label) { copy(p.entries[id].table, labels) }

// Len returns the number of constants; a nil pool has none.
func (p *Pool) Len() int {
	if p == nil {
		return 0
	}
	return len(p.entries)
}

// Data returns the bytes of a constant.
func (p *Pool) Data(id ConstID) string { return p.entries[id].data }

// has reports whether id is a constant of p.
func (p *Pool) has(id ConstID) bool { return id >= 0 && int(id) < p.Len() }

// order returns the constants in memory order: by decreasing alignment, which minimizes
// padding, then in the order they were added.
func (p *Pool) order() []ConstID {
	order := make([]ConstID, p.Len())
	for i := range order {
		order[i] = ConstID(i)
	}
	sort.SliceStable(order, func(i, j int) bool {
		return p.entries[order[i]].align > p.entries[order[j]].align
	})
	return order
}

// layout places the constants after start bytes of code and returns their offsets by ID, the
// start of the first and the end of the last.
func (p *Pool) layout(start int) (offsets []int, first, end int) {
	if p.Len() == 0 {
		return nil, start, start
	}
	order := p.order()
	offsets = make([]int, len(order))
	pos := roundUp(start, p.entries[order[0]].align)
	first = pos
	for _, id := range order {
		e := &p.entries[id]
		pos = roundUp(pos, e.align)
		offsets[id] = pos
		pos += len(e.data)
	}
	return offsets, first, pos
}

func roundUp(n, align int) int { return (n + align - 1) &^ (align - 1) }
