// Package types defines the types of OpenCL C: scalars, vectors, pointers with address
// spaces, arrays, structs, unions, enums, functions and the opaque types (images,
// samplers, events), with their sizes and layouts (OpenCL C 1.2 §6.1, §6.2.1; the device
// is 64-bit, so size_t and pointers have 8 bytes).
//
// Qualifiers are not part of a Type. They are stored separately: Pointer.Quals holds
// those of the element type, and a variable or field has its own. The Type of an
// expression is therefore unqualified. Qualifiers of an array apply to its elements, as
// in C.
//
// The package is independent of syntax, expressions and kernel IR.
package types

import (
	"slices"
	"strings"
)

// Type is one of *Scalar, *Vector, *Pointer, *Array, *Record, *Enum, *Func and *Opaque.
// Scalars and vectors are unique and can be compared with ==; other types are compared
// with Identical.
type Type interface {
	// String formats the type as in an OpenCL C cast.
	String() string
	// Size is the size of an object in bytes (sizeof); 0 for types without a size (void,
	// functions, incomplete records).
	Size() int64
	// Align is the alignment in bytes, at least 1.
	Align() int64
}

// Kind is the kind of a scalar type.
type Kind uint8

const (
	KindVoid Kind = iota
	KindBool
	KindChar
	KindUChar
	KindShort
	KindUShort
	KindInt
	KindUInt
	KindLong
	KindULong
	KindHalf
	KindFloat
	KindDouble
	numKinds
)

// Scalar is void, bool, an integer or a floating type.
type Scalar struct {
	Kind Kind
	name string
	size int64
}

func (s *Scalar) String() string { return s.name }
func (s *Scalar) Size() int64    { return s.size }
func (s *Scalar) Align() int64   { return max(s.size, 1) }

// IsFloat reports whether s is half, float or double.
func (s *Scalar) IsFloat() bool { return s.Kind >= KindHalf }

// IsInteger reports whether s is bool or an integer type.
func (s *Scalar) IsInteger() bool { return s.Kind >= KindBool && s.Kind <= KindULong }

// IsSigned reports whether s is a signed integer type.
func (s *Scalar) IsSigned() bool {
	switch s.Kind {
	case KindChar, KindShort, KindInt, KindLong:
		return true
	}
	return false
}

// Bits is the width in bits; that of bool is 1.
func (s *Scalar) Bits() int {
	if s.Kind == KindBool {
		return 1
	}
	return int(s.size) * 8
}

// Rank orders the arithmetic types for the usual arithmetic conversions: the common type
// of two is the one of higher rank (C99 §6.3.1.8 with a 32-bit int and a 64-bit long, in
// the order of Kind).
func (s *Scalar) Rank() int { return int(s.Kind) }

// The scalar types.
var (
	Void   = &Scalar{KindVoid, "void", 0}
	Bool   = &Scalar{KindBool, "bool", 1}
	Char   = &Scalar{KindChar, "char", 1}
	UChar  = &Scalar{KindUChar, "uchar", 1}
	Short  = &Scalar{KindShort, "short", 2}
	UShort = &Scalar{KindUShort, "ushort", 2}
	Int    = &Scalar{KindInt, "int", 4}
	UInt   = &Scalar{KindUInt, "uint", 4}
	Long   = &Scalar{KindLong, "long", 8}
	ULong  = &Scalar{KindULong, "ulong", 8}
	Half   = &Scalar{KindHalf, "half", 2}
	Float  = &Scalar{KindFloat, "float", 4}
	Double = &Scalar{KindDouble, "double", 8}
)

// SizeT is the type of sizeof and of work-item ids.
var SizeT = ULong

// PtrDiffT is the type of the difference of two pointers.
var PtrDiffT = Long

var scalars = [numKinds]*Scalar{
	Void, Bool, Char, UChar, Short, UShort, Int, UInt, Long, ULong, Half, Float, Double,
}

// ScalarOf returns the scalar type of kind k.
func ScalarOf(k Kind) *Scalar { return scalars[k] }

// SignedOf returns the signed integer type of the given size in bytes.
func SignedOf(size int64) *Scalar {
	switch size {
	case 1:
		return Char
	case 2:
		return Short
	case 4:
		return Int
	}
	return Long
}

// Unsigned returns the unsigned type with the size of integer type s.
func (s *Scalar) Unsigned() *Scalar {
	if s.IsSigned() {
		return scalars[s.Kind+1]
	}
	return s
}

// Signed returns the signed type with the size of integer type s.
func (s *Scalar) Signed() *Scalar { return SignedOf(s.size) }

// Vector is an OpenCL vector of 2, 3, 4, 8 or 16 components.
type Vector struct {
	Elem *Scalar
	N    int
	name string
}

func (v *Vector) String() string { return v.name }

// Size is the size of N components, where 3 count as 4.
func (v *Vector) Size() int64 {
	n := v.N
	if n == 3 {
		n = 4
	}
	return v.Elem.size * int64(n)
}

func (v *Vector) Align() int64 { return v.Size() }

// VectorSizes lists the valid component counts.
var VectorSizes = [...]int{2, 3, 4, 8, 16}

var vectors [numKinds][17]*Vector

// byName maps reserved names to scalar and vector types.
var byName = map[string]Type{}

func init() {
	digits := map[int]string{2: "2", 3: "3", 4: "4", 8: "8", 16: "16"}
	for _, s := range scalars {
		byName[s.name] = s
		if s.Kind <= KindBool {
			continue
		}
		for _, n := range VectorSizes {
			v := &Vector{Elem: s, N: n, name: s.name + digits[n]}
			vectors[s.Kind][n] = v
			byName[v.name] = v
		}
	}
	for name, t := range map[string]Type{
		"_Bool": Bool, "size_t": ULong, "ptrdiff_t": Long, "intptr_t": Long, "uintptr_t": ULong,
		// In OpenCL C 2.0 §6.13.11 atomicity is a property of the functions, so the
		// atomic types are the types they operate on.
		"atomic_int": Int, "atomic_uint": UInt, "atomic_long": Long, "atomic_ulong": ULong,
		"atomic_float": Float, "atomic_double": Double, "atomic_flag": Int,
		"atomic_size_t": ULong, "atomic_ptrdiff_t": Long, "atomic_intptr_t": Long, "atomic_uintptr_t": ULong,
		"memory_order": Int, "memory_scope": Int, "cl_mem_fence_flags": UInt,
	} {
		byName[name] = t
	}
	for _, name := range []string{
		"image1d_t", "image1d_buffer_t", "image1d_array_t", "image2d_t", "image2d_array_t", "image2d_depth_t",
		"image2d_array_depth_t", "image2d_msaa_t", "image2d_array_msaa_t", "image2d_msaa_depth_t",
		"image2d_array_msaa_depth_t", "image3d_t", "sampler_t", "event_t", "queue_t", "clk_event_t",
		"reserve_id_t", "ndrange_t",
	} {
		byName[name] = &Opaque{Name: name}
	}
}

// ByName returns the type with a reserved name: a scalar ("uchar", "size_t"), a vector
// ("float4") or an opaque type ("image2d_t"); nil if there is none.
func ByName(name string) Type {
	if t, ok := byName[name]; ok {
		return t
	}
	return nil
}

// Names returns the names of the scalar types and of the opaque types.
func Names() (scalar, opaque []string) {
	for _, s := range scalars {
		scalar = append(scalar, s.name)
	}
	for name, t := range byName {
		if _, ok := t.(*Opaque); ok {
			opaque = append(opaque, name)
		}
	}
	slices.Sort(opaque)
	return scalar, opaque
}

// VectorOf returns the vector of n elements of type elem, or nil if there is no such
// vector. For n = 1 it returns elem.
func VectorOf(elem *Scalar, n int) Type {
	if n == 1 {
		return elem
	}
	if n < 0 || n > 16 || vectors[elem.Kind][n] == nil {
		return nil
	}
	return vectors[elem.Kind][n]
}

// Space is an address space.
type Space uint8

const (
	Private Space = iota
	Global
	Constant
	Local
	Generic
)

var spaceNames = [...]string{"__private", "__global", "__constant", "__local", "__generic"}

func (s Space) String() string { return spaceNames[s] }

// Quals is a set of type qualifiers.
type Quals uint8

const (
	Const Quals = 1 << iota
	Volatile
	Restrict // of a pointer variable
	ReadOnly // access qualifiers of images
	WriteOnly
	ReadWrite
)

var qualNames = [...]string{"const", "volatile", "restrict", "__read_only", "__write_only", "__read_write"}

// String returns the qualifiers, each followed by a space.
func (q Quals) String() string {
	s := ""
	for i, name := range qualNames {
		if q&(1<<i) != 0 {
			s += name + " "
		}
	}
	return s
}

// Pointer is a pointer to Elem, which is in Space and has qualifiers Quals.
type Pointer struct {
	Elem  Type
	Space Space
	Quals Quals
}

func (p *Pointer) String() string {
	return declare(p, "")
}
func (p *Pointer) Size() int64  { return 8 }
func (p *Pointer) Align() int64 { return 8 }

// Array has Len elements; Len is -1 while unknown (int a[] = {...}).
type Array struct {
	Elem Type
	Len  int64
}

func (a *Array) String() string { return declare(a, "") }
func (a *Array) Size() int64    { return a.Elem.Size() * max(a.Len, 0) }
func (a *Array) Align() int64   { return a.Elem.Align() }

// Func is the type of a function. Only declarations have such a type, never values.
type Func struct {
	Result   Type
	Params   []Type
	Variadic bool
}

func (f *Func) String() string { return declare(f, "") }
func (f *Func) Size() int64    { return 0 }
func (f *Func) Align() int64   { return 1 }

// Enum is an enumeration with underlying type Under, which is uint if no constant is
// negative, as in clang.
type Enum struct {
	Tag      string
	Under    *Scalar
	Complete bool
}

func (e *Enum) String() string {
	if e.Tag == "" {
		return "enum (anonymous)"
	}
	return "enum " + e.Tag
}
func (e *Enum) Size() int64  { return e.Under.Size() }
func (e *Enum) Align() int64 { return e.Under.Align() }

// Opaque is an image, sampler, event or queue type.
type Opaque struct {
	Name string
	// Access is the access to an image: WriteOnly or ReadWrite; 0 is read-only, the
	// default without a qualifier.
	Access Quals
}

// WithAccess returns the image type with the access qualifier in q.
func (o *Opaque) WithAccess(q Quals) *Opaque {
	if q &= WriteOnly | ReadWrite; q == o.Access {
		return o
	}
	return &Opaque{o.Name, q}
}

// IsImage reports whether o is an image type.
func (o *Opaque) IsImage() bool { return strings.HasPrefix(o.Name, "image") }

// String formats the type with its access qualifier, unless that is the default.
func (o *Opaque) String() string { return o.Access.String() + o.Name }
func (o *Opaque) Size() int64    { return 8 }
func (o *Opaque) Align() int64   { return 8 }
