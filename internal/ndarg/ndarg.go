// Package ndarg parses the command line syntax of a kernel's arguments and ranges, fills
// buffers, and computes checksums of their contents after a run:
//
//	b:TYPE:COUNT[:FILL][:FLAGS]   a buffer
//	null                          a null pointer for a buffer
//	local:BYTES                   local memory
//	TYPE:V[,V...]                 a scalar or vector by value
//	bytes:HEX                     a value of any type, such as a struct, in its memory format
//	image2d:ORDER,TYPE:WxH[:FILL][:FLAGS]   an image; similarly for other image types
//	sampler:linear,clamp,normalized         a sampler
//
// The same words describe the same bytes in every program that uses the package, so that
// runs can be compared by checksum. The package is independent of kernels.
package ndarg

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/sbinet/npyio"

	"github.com/simtc/simtc/internal/hugepages"
)

// Kind is the form of an argument.
type Kind uint8

const (
	Buffer Kind = iota
	Local
	Value
	Image
)

// Arg is one argument as written.
type Arg struct {
	Spec  string // the word itself
	Kind  Kind
	Type  Type // of buffers and values; for images the type of a texel's channels
	Count int  // buffers and images: elements of Type
	Bytes int  // size in memory; for Local the size requested
	Fill  Fill // buffers and images
	Value []byte
	Image ImageSpec
	Raw   bool // values: given as bytes, without a Type
	Null  bool // buffers: a null pointer, without memory

	ReadOnly, WriteOnly, Quiet bool
}

// maxBytes bounds buffers, images and local memory. Launches accept no larger buffers.
const maxBytes = 1<<31 - 1<<24

// ParseArgs parses the arguments of a command line.
func ParseArgs(words []string) ([]Arg, error) {
	args := make([]Arg, len(words))
	for i, w := range words {
		a, err := Parse(w)
		if err != nil {
			return nil, fmt.Errorf("argument %d %q: %w", i, w, err)
		}
		args[i] = a
	}
	return args, nil
}

// Parse parses one argument.
func Parse(spec string) (Arg, error) {
	a := Arg{Spec: spec}
	if spec == "null" {
		a.Kind, a.Null = Buffer, true
		return a, nil
	}
	head, rest, ok := strings.Cut(spec, ":")
	if !ok {
		return a, fmt.Errorf("want b:TYPE:COUNT[:FILL][:FLAGS], null, local:BYTES, TYPE:VALUE, bytes:HEX, an image or a sampler")
	}
	switch head {
	case "local":
		a.Kind = Local
		n, err := product(rest)
		if err != nil {
			return a, err
		}
		if n == 0 || n > maxBytes {
			return a, fmt.Errorf("local memory of %d bytes; it may have 1 to %d", n, maxBytes)
		}
		a.Bytes = int(n)
		return a, nil
	case "b":
		return a, a.buffer(rest)
	case "sampler":
		return a, a.sampler(rest)
	case "bytes":
		b, err := hex.DecodeString(strings.NewReplacer("_", "", ",", "").Replace(rest))
		if err != nil || len(b) == 0 {
			return a, fmt.Errorf("want bytes:HEX, two digits for each byte")
		}
		a.Kind, a.Raw, a.Value, a.Bytes = Value, true, b, len(b)
		return a, nil
	}
	if imageSizes[head] != "" {
		return a, a.image(head, rest)
	}
	t, err := ParseType(head)
	if err != nil {
		return a, err
	}
	a.Kind, a.Type = Value, t
	return a, a.value(rest)
}

// value parses the components of a scalar or vector. A single number is used for all
// components of a vector.
func (a *Arg) value(text string) error {
	a.Bytes = a.Type.Size()
	a.Value = make([]byte, a.Bytes)
	words := strings.Split(text, ",")
	if len(words) != 1 && len(words) != a.Type.Lanes {
		return fmt.Errorf("%s has %d components, not %d", a.Type, a.Type.Lanes, len(words))
	}
	for i := range a.Type.Lanes {
		word := words[min(i, len(words)-1)]
		n, err := parseNumber(word, a.Type.Elem)
		if err != nil {
			return err
		}
		if !a.Type.Elem.holds(n) {
			return fmt.Errorf("%s does not fit %s", word, a.Type.Elem)
		}
		a.Type.Elem.put(a.Value[i*a.Type.Elem.size():], n)
	}
	return nil
}

func (a *Arg) buffer(text string) error {
	a.Kind = Buffer
	name, rest, ok := strings.Cut(text, ":")
	if !ok {
		return fmt.Errorf("want b:TYPE:COUNT")
	}
	t, err := ParseType(name)
	if err != nil {
		return err
	}
	count, rest, _ := strings.Cut(rest, ":")
	n, err := product(count)
	if err != nil {
		return err
	}
	if n == 0 || n > maxBytes/uint64(t.Size()) {
		return fmt.Errorf("a buffer of %s %s; it may have 1 to %d bytes", count, t, int64(maxBytes))
	}
	a.Type, a.Count, a.Bytes = t, int(n), int(n)*t.Size()
	return a.contents(rest)
}

// contents parses FILL[:FLAGS]. Without FILL the contents are zero.
func (a *Arg) contents(rest string) (err error) {
	fill, flags := rest, ""
	inText := strings.HasPrefix(rest, "file,") || strings.HasPrefix(rest, "str,") // may contain a colon
	if i := strings.LastIndexByte(rest, ':'); i >= 0 && (!inText || isFlags(rest[i+1:])) {
		fill, flags = rest[:i], rest[i+1:]
	} else if isFlags(rest) {
		fill, flags = "", rest
	}
	for _, c := range flags {
		switch c {
		case 'r':
			a.ReadOnly = true
		case 'w':
			a.WriteOnly = true
		case 'q':
			a.Quiet = true
		default:
			return fmt.Errorf("unknown flag %q; flags are r, w and q", c)
		}
	}
	a.Fill, err = parseFill(fill, a.Type.Elem)
	return err
}

// isFlags reports whether a single last field is flags rather than a fill.
func isFlags(s string) bool { return s != "" && strings.Trim(s, "rwq") == "" }

var errTooLarge = errors.New("is too large")

// product parses a number or a product of numbers; k and m stand for 1024 and its square:
// "1024*3", "4k".
func product(text string) (uint64, error) {
	total := uint64(1)
	for _, f := range strings.Split(text, "*") {
		shift := 0
		digits := f
		if n := len(f); n > 0 {
			switch f[n-1] {
			case 'k', 'K':
				shift, digits = 10, f[:n-1]
			case 'm', 'M':
				shift, digits = 20, f[:n-1]
			}
		}
		n, err := strconv.ParseUint(digits, 0, 62)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return 0, fmt.Errorf("bad count %q", text)
		}
		if most := uint64(1<<62) >> shift; err != nil || n > most || n != 0 && total > most/n {
			return 0, fmt.Errorf("count %q %w", text, errTooLarge)
		}
		total *= n << shift
	}
	return total, nil
}

// ParseDims parses X[,Y[,Z]]; every part may be a product.
func ParseDims(text string) ([]uint64, error) {
	words := strings.Split(text, ",")
	if len(words) > 3 {
		return nil, fmt.Errorf("%q has %d dimensions; at most 3 are possible", text, len(words))
	}
	dims := make([]uint64, len(words))
	for i, w := range words {
		n, err := product(w)
		switch {
		case errors.Is(err, errTooLarge):
			return nil, fmt.Errorf("%q %w", w, errTooLarge)
		case err != nil:
			return nil, fmt.Errorf("%q: want X[,Y[,Z]], whole numbers that are not negative", text)
		}
		dims[i] = n
	}
	return dims, nil
}

// New allocates the buffer's memory with its initial contents. It returns nil for a null
// pointer.
func (a *Arg) New() ([]byte, error) {
	return a.NewIn(hugepages.Make)
}

// NewIn is New with memory from alloc.
func (a *Arg) NewIn(alloc func(bytes int) ([]byte, error)) ([]byte, error) {
	if a.Null {
		return nil, nil
	}
	b, err := alloc(a.Bytes)
	if err != nil {
		return nil, err
	}
	return b, a.Reset(b)
}

// Reset writes the initial contents to b, which has a.Bytes bytes.
func (a *Arg) Reset(b []byte) error {
	if a.Fill.Kind == "file" {
		clear(b)
		return fillFile(b, a.Fill.Text, a.Type)
	}
	a.Fill.write(b, a.Type.Elem)
	return nil
}

// fillFile copies a file, raw or .npy, to the start of b; excess data is ignored.
func fillFile(b []byte, path string, t Type) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if strings.HasSuffix(path, ".npy") {
		if err := checkHeader(f); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		r, err := npyio.NewReader(f)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		d := r.Header.Descr
		if d.Fortran {
			return fmt.Errorf("%s: the array is in Fortran order", path)
		}
		if want := t.Elem.size(); len(d.Type) < 2 || d.Type[0] == '>' || d.Type[len(d.Type)-1:] != strconv.Itoa(want) {
			return fmt.Errorf("%s: elements of type %s do not fit %s", path, d.Type, t.Elem)
		}
	}
	n := 0
	for n < len(b) {
		k, err := f.Read(b[n:])
		n += k
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	if n == 0 {
		return fmt.Errorf("%s: the file is empty", path)
	}
	return nil
}

// maxHeader bounds the header of a .npy file, in bytes: version 1 of the format has no
// longer ones.
const maxHeader = 1<<16 - 1

// checkHeader rejects a .npy file whose header claims a size that would exhaust the
// machine's memory. It leaves the file positioned at its start.
func checkHeader(f *os.File) error {
	var b [12]byte // magic, version, and the header's size in 2 bytes, or 4 from version 2 on
	n, err := f.ReadAt(b[:], 0)
	if err != nil && err != io.EOF {
		return err
	}
	if size := binary.LittleEndian.Uint32(b[8:]); n == len(b) && b[6] >= 2 && size > maxHeader {
		return fmt.Errorf("the header claims %d bytes; at most %d are supported", size, maxHeader)
	}
	return nil
}
