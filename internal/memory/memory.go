// Package memory implements the address space of the interpreters: regions separated by
// guard gaps, so that every out-of-bounds access is an error.
package memory

import (
	"encoding/binary"
	"fmt"
	"sort"
)

// Space holds regions at addresses that it chooses. The zero Space is empty and ready for
// use. Address 0 is never valid.
type Space struct {
	regions []region // by base
	next    uint64
	last    int // the region accessed last; accesses usually stay in one
}

type region struct {
	base  uint64
	bytes []byte
}

// gap separates neighboring regions: an index that is off by less traps.
const gap = 1 << 20

// Add maps bytes, which remain owned by the caller, and returns their address, a multiple
// of 4096.
func (s *Space) Add(bytes []byte) uint64 {
	if s.next == 0 {
		s.next = gap
	}
	base := s.next
	s.regions = append(s.regions, region{base, bytes})
	s.next = (base+uint64(len(bytes))+4095)&^4095 + gap
	return base
}

// Fault is an access outside every region.
type Fault struct {
	Addr  uint64
	Size  int
	Write bool
}

// Error formats the fault.
func (f *Fault) Error() string {
	verb := "read"
	if f.Write {
		verb = "write"
	}
	return fmt.Sprintf("invalid %s of %d bytes at address %#x", verb, f.Size, f.Addr)
}

func (s *Space) find(addr uint64, size int) []byte {
	in := func(r region) bool {
		return addr >= r.base && addr-r.base <= uint64(len(r.bytes)) && uint64(len(r.bytes))-(addr-r.base) >= uint64(size)
	}
	if s.last < len(s.regions) && in(s.regions[s.last]) {
		r := s.regions[s.last]
		return r.bytes[addr-r.base:]
	}
	i := sort.Search(len(s.regions), func(i int) bool { return s.regions[i].base > addr }) - 1
	if i < 0 || !in(s.regions[i]) {
		return nil
	}
	s.last = i
	r := s.regions[i]
	return r.bytes[addr-r.base:]
}

// Load reads size bytes (1, 2, 4 or 8), little endian.
func (s *Space) Load(addr uint64, size int) (uint64, error) {
	b := s.find(addr, size)
	if b == nil {
		return 0, &Fault{addr, size, false}
	}
	switch size {
	case 1:
		return uint64(b[0]), nil
	case 2:
		return uint64(binary.LittleEndian.Uint16(b)), nil
	case 4:
		return uint64(binary.LittleEndian.Uint32(b)), nil
	}
	return binary.LittleEndian.Uint64(b), nil
}

// Store writes the low size bytes (1, 2, 4 or 8) of v, little endian.
func (s *Space) Store(addr uint64, size int, v uint64) error {
	b := s.find(addr, size)
	if b == nil {
		return &Fault{addr, size, true}
	}
	switch size {
	case 1:
		b[0] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(v))
	default:
		binary.LittleEndian.PutUint64(b, v)
	}
	return nil
}
