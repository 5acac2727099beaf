// Package ndarg reads the command line's way of writing a kernel's arguments
// and ranges, fills buffers, and sums up what a run left in them:
//
//	b:TYPE:COUNT[:FILL][:FLAGS]   a buffer
//	null                          a buffer's null pointer
//	local:BYTES                   local memory
//	TYPE:V[,V...]                 a scalar or vector by value
//	bytes:HEX                     a value of any type, a struct for example, as it lies in memory
//	image2d:ORDER,TYPE:WxH[:FILL][:FLAGS]   an image, and so with the other types
//	sampler:linear,clamp,normalized         a sampler
//
// The same words describe the same bytes to every program that reads them, so
// that runs can be compared by checksum. The package must not know of kernels.
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

// Kind tells the forms of an argument apart.
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
	Type  Type // buffers, values and images, of which it is what a texel's channels are as numbers
	Count int  // buffers and images: elements of Type
	Bytes int  // size in memory; of Local, the memory asked for
	Fill  Fill // buffers and images
	Value []byte
	Image ImageSpec
	Raw   bool // values: given as bytes, with no Type
	Null  bool // buffers: a null pointer, with no memory

	ReadOnly, WriteOnly, Quiet bool
}

// maxBytes bounds buffers, images and local memory. Launches take no larger buffers.
const maxBytes = 1<<31 - 1<<24

// ParseArgs reads the arguments of a command line.
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

// Parse reads one argument.
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

// value reads the components of a scalar or vector. A vector given one number
// has it in all components.
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

// contents reads FILL[:FLAGS]. Without either a is zero.
func (a *Arg) contents(rest string) (err error) {
	fill, flags := rest, ""
	inText := strings.HasPrefix(rest, "file,") || strings.HasPrefix(rest, "str,") // may hold a colon
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

// isFlags reports whether a lone last field is flags and not a fill.
func isFlags(s string) bool { return s != "" && strings.Trim(s, "rwq") == "" }

var errTooLarge = errors.New("is too large")

// product reads a number or a product of them; k and m stand for 1024 and its
// square: "1024*3", "4k".
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

// ParseDims reads X[,Y[,Z]]; every part may be a product.
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

// New makes the buffer's memory with its initial contents; nil for a null pointer.
func (a *Arg) New() ([]byte, error) {
	return a.NewIn(hugepages.Make)
}

// NewIn is New in memory from elsewhere.
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

// fillFile copies a file, raw or .npy, to the start of b; what does not fit is
// left out.
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

// maxHeader bounds the header of a .npy file, in bytes: the format's version 1 has no longer ones.
const maxHeader = 1<<16 - 1

// checkHeader refuses a .npy file whose header claims a size that would take the machine's
// memory. It leaves the file at its beginning.
func checkHeader(f *os.File) error {
	var b [12]byte // magic, version, and the header's size in 2 bytes or from version 2 on in 4
	n, err := f.ReadAt(b[:], 0)
	if err != nil && err != io.EOF {
		return err
	}
	if size := binary.LittleEndian.Uint32(b[8:]); n == len(b) && b[6] >= 2 && size > maxHeader {
		return fmt.Errorf("the header claims %d bytes; at most %d are supported", size, maxHeader)
	}
	return nil
}
