package launch

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"strings"
	"unsafe"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// Arg is one argument of a launch: the bytes of a value, or a buffer.
type Arg struct {
	Value  []byte // scalars, vectors and structs: their object representation
	Buffer []byte // pointers to global or constant memory; the kernel works on it in place
	Local  int    // pointers to local memory: bytes
	isBuf  bool
	fixed  bool   // see Foreign
	log    bool   // Buffer is a printf buffer: see Printf
	image  *Image // its data is Buffer
}

// Bytes returns the argument for a value given by its object representation.
func Bytes(b []byte) Arg { return Arg{Value: b} }

// Buffer returns the argument for a pointer to b. A nil slice is a null pointer; other
// empty slices are not.
func Buffer(b []byte) Arg { return Arg{Buffer: b, isBuf: true} }

// Foreign returns a for a buffer or image in memory that Go does not manage, such as a mapped
// file or memory of C. The caller keeps it valid during launches, which do not pin it.
func (a Arg) Foreign() Arg {
	a.fixed = true
	return a
}

// LocalMemory returns the argument for a pointer to n bytes of local memory.
func LocalMemory(n int) Arg { return Arg{Local: n} }

// Fits reports whether a has the kind and size of the parameter p.
func (a Arg) Fits(p kernel.Arg) bool {
	switch p.Kind {
	case kernel.ArgBuffer, kernel.ArgVariables, kernel.ArgPrintf, kernel.ArgReport:
		return a.isBuf && a.image == nil
	case kernel.ArgImage:
		return a.image != nil
	case kernel.ArgLocal:
		return !a.isBuf && a.Value == nil && a.Local > 0
	}
	return !a.isBuf && len(a.Value) == p.Size
}

// elements maps OpenCL's scalar types to Go's.
var elements = map[string]struct {
	size int
	kind reflect.Kind
}{
	"char": {1, reflect.Int8}, "uchar": {1, reflect.Uint8}, "bool": {1, reflect.Bool},
	"short": {2, reflect.Int16}, "ushort": {2, reflect.Uint16}, "half": {2, reflect.Uint16},
	"int": {4, reflect.Int32}, "uint": {4, reflect.Uint32}, "float": {4, reflect.Float32},
	"long": {8, reflect.Int64}, "ulong": {8, reflect.Uint64}, "double": {8, reflect.Float64},
}

// floats lists the floating-point types. infinities and signs give the bits of an infinity
// and of the sign for the types that need rounding.
var (
	floats     = map[string]alu.Type{"half": alu.F16, "float": alu.F32, "double": alu.F64}
	infinities = map[alu.Type]uint64{alu.F16: 0x7c00, alu.F32: 0x7f800000}
	signs      = map[alu.Type]uint64{alu.F16: 1 << 15, alu.F32: 1 << 31}
)

// samplerType is the type of sampler parameters.
const samplerType = "sampler_t"

// FromGo converts Go values to arguments of f: slices to buffers (shared, not copied),
// numbers to scalars, arrays or slices of Count numbers to vectors, structs of fixed size
// to structs, an Image to an image, a Sampler to a sampler. An Arg is passed as it stands.
func FromGo(f *kernel.Func, values []any) ([]Arg, error) {
	if len(values) != len(f.Args) {
		return nil, fmt.Errorf("kernel %s takes %d arguments, got %d", f.Name, len(f.Args), len(values))
	}
	args := make([]Arg, len(values))
	for i, v := range values {
		a, err := fromGo(f.Args[i], v)
		if err == nil && f.Args[i].CType == samplerType && len(a.Value) == f.Args[i].Size {
			err = Sampler(binary.LittleEndian.Uint32(a.Value)).Check()
		}
		if err != nil {
			return nil, fmt.Errorf("kernel %s: argument %d (%s %s): %w", f.Name, i, f.Args[i].CType, f.Args[i].Name, err)
		}
		args[i] = a
	}
	return args, nil
}

func fromGo(p kernel.Arg, v any) (Arg, error) {
	if a, ok := v.(Arg); ok {
		return a, nil
	}
	switch p.Kind {
	case kernel.ArgBuffer:
		return bufferFromGo(p, v)
	case kernel.ArgLocal:
		return Arg{}, fmt.Errorf("wants LocalMemory(bytes), got %T", v)
	case kernel.ArgBytes:
		return structFromGo(p, v)
	case kernel.ArgImage:
		return imageFromGo(v)
	}
	n := p.Count
	if n == 1 {
		b, err := scalarFromGo(p.Elem, reflect.ValueOf(v))
		return Bytes(b), err
	}
	rv := reflect.ValueOf(v)
	if k := rv.Kind(); k != reflect.Slice && k != reflect.Array || rv.Len() != n {
		return Arg{}, fmt.Errorf("wants an array or slice of %d %s, got %T", n, p.Elem, v)
	}
	var out []byte
	for i := range n {
		b, err := scalarFromGo(p.Elem, rv.Index(i))
		if err != nil {
			return Arg{}, err
		}
		out = append(out, b...)
	}
	for len(out) < p.Size {
		out = append(out, 0) // a 3-vector has the size of a 4-vector
	}
	return Bytes(out), nil
}

// scalarFromGo converts a number. A number that the type cannot represent is an error;
// floats are rounded. A uint16 for a half is its bits.
func scalarFromGo(elem string, v reflect.Value) ([]byte, error) {
	e, ok := elements[elem]
	if !ok {
		return nil, fmt.Errorf("cannot pass a value of type %q", elem)
	}
	bad := func() error { return fmt.Errorf("wants a value of %s, got %v", elem, v) }
	out := make([]byte, 8)
	var bits uint64
	switch {
	case !v.IsValid():
		return nil, fmt.Errorf("wants a value of %s, got nil", elem)
	case elem == "half" && v.Kind() == reflect.Uint16:
		bits = v.Uint()
	case elem == "half" || e.kind == reflect.Float32 || e.kind == reflect.Float64:
		var f float64
		switch {
		case v.CanFloat():
			f = v.Float()
		case v.CanInt():
			f = float64(v.Int())
		case v.CanUint():
			f = float64(v.Uint())
		default:
			return nil, fmt.Errorf("wants a value of %s, got %s", elem, v.Type())
		}
		bits = math.Float64bits(f)
		if t := floats[elem]; t != alu.F64 {
			bits = alu.Eval(alu.FPTrunc, t, alu.F64, bits, 0, 0)
			if bits&^signs[t] == infinities[t] && !math.IsInf(f, 0) {
				return nil, bad()
			}
		}
	case e.kind == reflect.Bool && v.Kind() == reflect.Bool:
		if v.Bool() {
			bits = 1
		}
	case v.CanInt():
		i := v.Int()
		sh := 64 - 8*e.size
		signed := strings.Contains("char short int long", elem)
		if signed && i<<sh>>sh != i || !signed && (i < 0 || uint64(i)<<sh>>sh != uint64(i)) {
			return nil, bad()
		}
		bits = uint64(i)
	case v.CanUint():
		u := v.Uint()
		sh := 64 - 8*e.size
		signed := strings.Contains("char short int long", elem)
		if u<<sh>>sh != u || signed && u>>(8*e.size-1) != 0 {
			return nil, bad()
		}
		bits = u
	default:
		return nil, fmt.Errorf("wants a value of %s, got %s", elem, v.Type())
	}
	binary.LittleEndian.PutUint64(out, bits)
	return out[:e.size], nil
}

// fitsElement reports whether a number of the given size in bytes and kind may be passed
// for the scalar type elem of a pointee: sizes must agree, and both must be
// floating-point or neither. Bytes fit every type.
func fitsElement(elem string, size int, kind reflect.Kind) bool {
	e, known := elements[elem]
	isFloat := func(k reflect.Kind) bool { return k == reflect.Float32 || k == reflect.Float64 }
	return !known || kind == reflect.Uint8 || size == e.size && isFloat(kind) == isFloat(e.kind)
}

// FitsElement reports whether a buffer of OpenCL C's scalar type given may be passed for a
// pointer to elem, by the rule for Go slices.
func FitsElement(elem, given string) bool {
	e := elements[given]
	return fitsElement(elem, e.size, e.kind)
}

// bufferFromGo shares the memory of a slice whose elements fit the pointee: its scalar
// type, arrays or structs of the size of the pointee, or bytes.
func bufferFromGo(p kernel.Arg, v any) (Arg, error) {
	if v == nil {
		return Buffer(nil), nil
	}
	rv := reflect.ValueOf(v)
	if rv.Kind() != reflect.Slice {
		return Arg{}, fmt.Errorf("wants a slice, got %T", v)
	}
	t := rv.Type().Elem()
	if hasPointers(t) {
		return Arg{}, fmt.Errorf("a %s holds Go pointers and cannot be shared with a kernel", rv.Type())
	}
	base := t
	for base.Kind() == reflect.Array {
		base = base.Elem()
	}
	if base.Kind() != reflect.Struct && !fitsElement(p.Elem, int(base.Size()), base.Kind()) {
		return Arg{}, fmt.Errorf("wants a slice of %s, got %T", elements[p.Elem].kind, v)
	}
	if err := elementFits(p, t); err != nil {
		return Arg{}, err
	}
	n := rv.Len() * int(t.Size())
	switch {
	case rv.IsNil():
		return Buffer(nil), nil
	case n == 0:
		return Buffer([]byte{}), nil
	}
	return Buffer(unsafe.Slice((*byte)(rv.UnsafePointer()), n)), nil
}

// elementFits returns an error if the size of the Go type is not a multiple of the
// pointee's. For a pointee that is a struct, numbers are raw memory.
func elementFits(p kernel.Arg, t reflect.Type) error {
	n := PointeeSize(p)
	switch {
	case n == 0 || t.Kind() != reflect.Array && t.Kind() != reflect.Struct:
		return nil
	case p.Pointee > 0 && t.Kind() == reflect.Struct && int(t.Size()) != n:
		return fmt.Errorf("wants a slice of structs of %d bytes, those of []%s have %d; %s", n, t, t.Size(), layoutHint)
	case int(t.Size())%n == 0:
		return nil
	case p.Count == 3:
		return fmt.Errorf("wants a slice of elements of %d bytes, those of []%s have %d; a %s3 has the size of 4 %ss in memory: pass a slice of [4]%s", n, t, t.Size(), p.Elem, p.Elem, elements[p.Elem].kind)
	}
	return fmt.Errorf("wants a slice of elements of %d bytes, those of []%s have %d", n, t, t.Size())
}

// layoutHint explains why the sizes of a Go struct and the kernel's may differ.
const layoutHint = "in OpenCL C a member of n bytes is aligned to n, and a vector of 3 components has the size of one of 4: add padding fields, or pass bytes"

// PointeeSize returns the size in bytes of the type that p points to, 0 if unknown.
func PointeeSize(p kernel.Arg) int {
	if p.Pointee > 0 {
		return p.Pointee
	}
	n := p.Count
	if n == 3 {
		n = 4
	}
	return n * elements[p.Elem].size
}

func hasPointers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return hasPointers(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if hasPointers(t.Field(i).Type) {
				return true
			}
		}
		return false
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr,
		reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return false
	}
	return true
}

func structFromGo(p kernel.Arg, v any) (Arg, error) {
	if b, ok := v.([]byte); ok {
		if len(b) != p.Size {
			return Arg{}, fmt.Errorf("wants %d bytes, got %d", p.Size, len(b))
		}
		return Bytes(b), nil
	}
	rv := reflect.ValueOf(v)
	if !rv.IsValid() || rv.Kind() != reflect.Struct || hasPointers(rv.Type()) {
		return Arg{}, fmt.Errorf("wants a struct of %d bytes without pointers, got %T", p.Size, v)
	}
	if n := int(rv.Type().Size()); n != p.Size {
		return Arg{}, fmt.Errorf("wants a struct of %d bytes, %T has %d; %s", p.Size, v, n, layoutHint)
	}
	c := reflect.New(rv.Type())
	c.Elem().Set(rv)
	return Bytes(append([]byte(nil), unsafe.Slice((*byte)(c.UnsafePointer()), p.Size)...)), nil
}

// MaxBuffer bounds a buffer in bytes: addresses within a buffer are computed in 32 bits
// (widen.MaxObject). Package ndarg has the same bound.
const MaxBuffer = 1<<31 - 1<<24

const maxBuffer = MaxBuffer

// localAlign is the alignment in bytes of each local memory argument: that of the
// largest type.
const localAlign = 128

// nextLocal returns the offset of a local memory argument that follows n bytes.
func nextLocal(n int) int { return (n + localAlign - 1) &^ (localAlign - 1) }

// localSize returns the local memory of a work-group in bytes, or an error if it exceeds
// the maximum.
func localSize(f *kernel.Func, args []Arg) (int, error) {
	n := uint64(f.LocalSize())
	for i, p := range f.Args {
		if p.Kind == kernel.ArgLocal && i < len(args) && args[i].Local > 0 {
			n = (n+localAlign-1)&^(localAlign-1) + uint64(args[i].Local)
			if n > kernel.MaxLocal {
				break // a larger sum could overflow
			}
		}
	}
	if n > kernel.MaxLocal {
		return 0, fmt.Errorf("kernel %s: a work-group needs %d bytes of local memory, more than the maximum of %d", f.Name, n, kernel.MaxLocal)
	}
	return int(n), nil
}

// layOut writes the argument block. Pointers to local memory are offsets from the start
// of the group's local memory. place returns the address of the buffer of argument i, 0
// for a null pointer, or with i -1 the address of an image descriptor.
func layOut(f *kernel.Func, args []Arg, place func(i int, b []byte) uint64) ([]byte, error) {
	if len(args) != len(f.Args) {
		return nil, fmt.Errorf("kernel %s takes %d arguments, got %d", f.Name, len(f.Args), len(args))
	}
	block := make([]byte, (f.ExtentOffset(len(f.Args))+63)&^63)
	local := f.LocalSize()
	for i, p := range f.Args {
		a := args[i]
		fail := func(format string, v ...any) ([]byte, error) {
			return nil, fmt.Errorf("kernel %s: argument %d (%s %s): %w", f.Name, i, p.CType, p.Name, fmt.Errorf(format, v...))
		}
		switch p.Kind {
		case kernel.ArgBuffer, kernel.ArgVariables, kernel.ArgPrintf, kernel.ArgReport:
			if !a.Fits(p) {
				return fail("wants a buffer")
			}
			if len(a.Buffer) > maxBuffer {
				return fail("a buffer of %d bytes exceeds the maximum of %d", len(a.Buffer), maxBuffer)
			}
			addr := uint64(0)
			if a.Buffer != nil {
				addr = place(i, a.Buffer)
				binary.LittleEndian.PutUint64(block[f.ExtentOffset(i):], uint64(len(a.Buffer)))
			}
			binary.LittleEndian.PutUint64(block[p.Offset:], addr)
		case kernel.ArgImage:
			if !a.Fits(p) {
				return fail("wants an image")
			}
			s, err := a.image.shape(p.Elem)
			if err != nil {
				return fail("%w", err)
			}
			d := s.describe()
			binary.LittleEndian.PutUint64(d[imageData:], place(i, a.Buffer))
			binary.LittleEndian.PutUint64(block[p.Offset:], place(-1, d))
		case kernel.ArgLocal:
			if !a.Fits(p) {
				return fail("wants local memory of a size above 0")
			}
			at := nextLocal(local)
			local = at + a.Local
			binary.LittleEndian.PutUint64(block[f.ExtentOffset(i):], uint64(a.Local))
			binary.LittleEndian.PutUint64(block[p.Offset:], uint64(at))
		default:
			if !a.Fits(p) {
				return fail("wants %d bytes by value, got %d", p.Size, len(a.Value))
			}
			copy(block[p.Offset:], a.Value)
		}
	}
	return block, nil
}
