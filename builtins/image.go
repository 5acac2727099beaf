package builtins

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/check"
	"github.com/simtc/simtc/clc/parse"
	"github.com/simtc/simtc/clc/preprocess"
	"github.com/simtc/simtc/clc/types"
	"github.com/simtc/simtc/internal/diag"
)

// images lists the functions of OpenCL C 1.2 §6.12.14. Their bodies are in
// image/image.cl, which is compiled with macros for the type of the image and the kind of
// access.
var images = []Func{
	{Name: "read_imagef", Special: "image"},
	{Name: "read_imagei", Special: "image"},
	{Name: "read_imageui", Special: "image"},
	{Name: "read_imageh", Special: "image"},
	{Name: "write_imagef", Special: "image"},
	{Name: "write_imagei", Special: "image"},
	{Name: "write_imageui", Special: "image"},
	{Name: "write_imageh", Special: "image"},
	{Name: "get_image_width", Special: "image"},
	{Name: "get_image_height", Special: "image"},
	{Name: "get_image_depth", Special: "image"},
	{Name: "get_image_dim", Special: "image"},
	{Name: "get_image_array_size", Special: "image"},
	{Name: "get_image_channel_data_type", Special: "image"},
	{Name: "get_image_channel_order", Special: "image"},
}

// imageKind is the set of parameters of a body.
type imageKind struct {
	entry      string // the function in image.cl
	dims       int    // dimensions of a layer
	array      bool
	depth      bool // texels are single floats
	elem       *types.Scalar
	floatCoord bool
	sampler    bool
}

// imageDims returns the dimensions of an image type's layers, 0 for unknown types.
func imageDims(name string) int {
	switch {
	case strings.Contains(name, "msaa"):
		return 0
	case strings.HasPrefix(name, "image1d"):
		return 1
	case strings.HasPrefix(name, "image2d"):
		return 2
	case strings.HasPrefix(name, "image3d"):
		return 3
	}
	return 0
}

func resolveImage(f *Func, args []types.Type) (*Call, error) {
	if len(args) == 0 {
		return nil, fmt.Errorf("it takes an image")
	}
	im, ok := args[0].(*types.Opaque)
	if !ok || !im.IsImage() {
		return nil, fmt.Errorf("the first argument must be an image")
	}
	k := imageKind{dims: imageDims(im.Name), array: strings.Contains(im.Name, "array"), depth: strings.Contains(im.Name, "depth")}
	if k.dims == 0 {
		return nil, fmt.Errorf("multi-sample images are not supported")
	}
	c := &Call{Func: f, N: 1, Elem: types.Int, Params: []types.Type{im}}
	kind, suffix, access := strings.Cut(f.Name, "_image")
	if !access || kind == "get" {
		return c.imageQuery(&k, args)
	}
	c.Elem = map[string]*types.Scalar{"f": types.Float, "i": types.Int, "ui": types.UInt, "h": types.Half}[suffix]
	k.elem = c.Elem
	if k.elem == types.Half {
		k.elem = types.Float
	}
	texel := types.VectorOf(c.Elem, 4)
	if k.depth {
		if suffix != "f" {
			return nil, fmt.Errorf("depth images contain floats")
		}
		texel = types.Float
	}
	k.entry = kind
	at := len(args) - 1
	if kind == "read" {
		if im.Access == types.WriteOnly {
			return nil, fmt.Errorf("the image is write-only")
		}
		if len(args) != 2 && len(args) != 3 {
			return nil, fmt.Errorf("it takes 2 or 3 arguments")
		}
		if k.sampler = len(args) == 3; k.sampler {
			if im.Name == "image1d_buffer_t" {
				return nil, fmt.Errorf("an image1d_buffer_t is read without a sampler")
			}
			c.Params = append(c.Params, types.ByName("sampler_t"))
		}
		c.Result = texel
	} else {
		if im.Access == 0 {
			return nil, fmt.Errorf("the image is read-only")
		}
		if len(args) != 3 {
			return nil, fmt.Errorf("it takes 3 arguments")
		}
		at = 1
		c.Result = types.Void
	}
	coord, err := k.coordinates(args[at])
	if err != nil {
		return nil, err
	}
	c.Params = append(c.Params, coord)
	if kind == "write" {
		c.Params = append(c.Params, texel)
	}
	c.image = k
	return c, nil
}

// coordinates returns the type to which coordinates of type t are converted.
func (k *imageKind) coordinates(t types.Type) (types.Type, error) {
	n := k.dims
	if k.array {
		n++
	}
	if n == 3 {
		n = 4
	}
	s := types.ElemScalar(t)
	floats := k.sampler
	k.floatCoord = floats && s != nil && s.IsFloat()
	want := types.VectorOf(types.Int, n)
	if k.floatCoord {
		want = types.VectorOf(types.Float, n)
	}
	if s == nil || s == types.Void || types.NumElems(t) != n || n > 1 && t != want || !floats && s.IsFloat() {
		or := ""
		if floats {
			or = " or " + types.VectorOf(types.Float, n).String()
		}
		return nil, fmt.Errorf("the coordinates must be %s%s", types.VectorOf(types.Int, n), or)
	}
	return want, nil
}

func (c *Call) imageQuery(k *imageKind, args []types.Type) (*Call, error) {
	if len(args) != 1 {
		return nil, fmt.Errorf("it takes 1 argument")
	}
	k.entry, k.elem = c.Func.Name, types.Int
	var has bool
	c.Result = types.Int
	switch c.Func.Name {
	case "get_image_height":
		has = k.dims >= 2
	case "get_image_depth":
		has = k.dims == 3
	case "get_image_dim":
		has = k.dims >= 2
		if c.N = 2; k.dims == 3 {
			c.N = 4
		}
		c.Result = types.VectorOf(types.Int, c.N)
	case "get_image_array_size":
		has = k.array
		c.Elem, c.Result = types.SizeT, types.SizeT
	default:
		has = true
	}
	if !has {
		return nil, fmt.Errorf("the image has none")
	}
	c.image = *k
	return c, nil
}

//go:embed image/image.cl
var imageText string

var imageBodies sync.Map // imageKind to *bodyEntry

// ImageBody returns the function that implements c, a call of a row of images. In it,
// images are pointers to descriptors and samplers are ints. It is shared by the whole
// process: it must not be modified.
func ImageBody(c *Call) (*ast.Func, error) {
	v, ok := imageBodies.Load(c.image)
	if !ok {
		v, _ = imageBodies.LoadOrStore(c.image, &bodyEntry{})
	}
	e := v.(*bodyEntry)
	e.once.Do(func() { e.fn, e.err = compileImage(&c.image) })
	return e.fn, e.err
}

func compileImage(k *imageKind) (*ast.Func, error) {
	var errs diag.List
	toks := preprocess.Run("<builtin>/image.cl", imageText, preprocess.Options{Std: "1.2", Defines: k.macros()}, &errs)
	file := parse.File(toks, parse.Options{NoContract: true}, &errs)
	if errs.Len() == 0 {
		check.Program(file, check.Options{}, Library{}, &errs)
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	for _, fn := range file.Funcs {
		if fn.Name == k.entry {
			return fn, nil
		}
	}
	return nil, fmt.Errorf("built-in function '%s' has no body", k.entry)
}

// macros returns the macros documented in image.cl.
func (k *imageKind) macros() []string {
	flag := func(name string, on bool) string {
		if on {
			return name + "=1"
		}
		return name + "=0"
	}
	digit := func(n int) string {
		if n == 1 {
			return ""
		}
		return fmt.Sprint(n)
	}
	t, d := k.elem.String(), digit(k.dims)
	coords, coord := k.dims, "int"
	if k.array {
		coords++
	}
	if coords == 3 {
		coords = 4
	}
	if k.floatCoord {
		coord = "float"
	}
	x, space := "(v)", "(c)"
	if k.dims > 1 {
		x = "(v).x"
	}
	if coords != k.dims {
		space = "(c)." + "xyz"[:k.dims]
	}
	result, pack := t+"4", "(v)"
	if k.depth {
		result, pack = t, "(v).x"
	}
	return []string{
		flag("READ", k.entry == "read"), flag("WRITE", k.entry == "write"), flag("BLOCK", strings.HasPrefix(k.entry, "block_")),
		fmt.Sprintf("D=%d", k.dims), flag("ARRAY", k.array),
		"T=" + t, "T4=" + t + "4", "RESULT=" + result, "PACK(v)=" + pack,
		flag("FLOATING", k.elem.IsFloat()), flag("SIGNED", k.elem.IsSigned()),
		"COORD=" + coord + digit(coords), flag("FLOAT_COORD", k.floatCoord), flag("SAMPLER", k.sampler),
		"FV=float" + d, "IV=int" + d, "TO_FV=convert_float" + d, "TO_IV=convert_int" + d,
		"X(v)=" + x, "Y(v)=(v).y", "Z(v)=(v).z", "SPACE(c)=" + space, "LAYER(c)=(c)." + "xyz"[k.dims%3:k.dims%3+1],
	}
}
