package opencl

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/simtc/simtc"
	"github.com/simtc/simtc/opencl/cl"
)

// Program is a program in any state: a source, a compiled object, a library or an executable.
type Program struct {
	object
	ctx     *Context
	devices []*Device
	source  string // "" for binaries and linked programs
	isText  bool   // made from source

	mu       sync.Mutex
	status   int           // cl.BUILD_NONE and others
	built    chan struct{} // closed at the end of the last build
	binary   int           // cl.PROGRAM_BINARY_TYPE_NONE and others
	options  string
	log      string
	units    []unit // the contents of a binary
	exec     *executable
	kernels  int // kernel objects
	releases []func()
}

// unit is a compiled source. Code is generated from its text again once it is linked: that is
// fast, and independent of the processor.
type unit struct {
	Text     string            `json:"text"`
	Options  string            `json:"options"`
	Includes []simtc.Inclusion `json:"includes,omitempty"`
}

// executable is compiled code, which programs of the same text and options share.
type executable struct {
	*simtc.Program
	key  string // "" if it is not shared
	uses int
}

// shared are the executables in use, by key.
var shared = struct {
	sync.Mutex
	by map[string]*executable
}{by: map[string]*executable{}}

// NewProgram returns a program from source.
func (c *Context) NewProgram(source string) *Program {
	p := c.newProgram(c.devices)
	p.source, p.isText = source, true
	return p
}

func (c *Context) newProgram(devices []*Device) *Program {
	p := &Program{ctx: c, devices: devices, status: cl.BUILD_NONE, binary: cl.PROGRAM_BINARY_TYPE_NONE}
	c.use()
	p.create(func() {
		p.exec.release()
		for _, f := range slices.Backward(p.releases) {
			f()
		}
		c.drop()
	})
	return p
}

func (x *executable) release() {
	if x == nil || x.key == "" {
		return
	}
	shared.Lock()
	defer shared.Unlock()
	if x.uses--; x.uses == 0 {
		delete(shared.by, x.key)
	}
}

// OnRelease registers a function that is called when the program is destroyed.
func (p *Program) OnRelease(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.releases = append(p.releases, f)
}

// file is the name of a program's source in messages.
const file = "kernel.cl"

// begin starts a build, or reports that the program cannot be built now.
func (p *Program) begin(devices []*Device, options string) error {
	for _, d := range devices {
		if !slices.Contains(p.devices, d) {
			return fail(cl.INVALID_DEVICE, "the program is not for that device")
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.kernels > 0 || p.status == cl.BUILD_IN_PROGRESS {
		return fail(cl.INVALID_OPERATION, "the program has kernels, or is being built")
	}
	p.status, p.options, p.log = cl.BUILD_IN_PROGRESS, options, ""
	p.built = make(chan struct{})
	return nil
}

// lockBuilt locks p.mu when no build runs.
func (p *Program) lockBuilt() {
	p.mu.Lock()
	for p.status == cl.BUILD_IN_PROGRESS {
		built := p.built
		p.mu.Unlock()
		<-built
		p.mu.Lock()
	}
}

// end records the result of a build. optionsCode and failure are the codes for invalid options
// and invalid programs.
func (p *Program) end(what string, began time.Time, err error, optionsCode, failure int) error {
	p.mu.Lock()
	p.status = cl.BUILD_SUCCESS
	if err != nil {
		p.status, p.binary = cl.BUILD_ERROR, cl.PROGRAM_BINARY_TYPE_NONE
		p.log = err.Error() + "\n"
		var compile *simtc.CompileError
		if errors.As(err, &compile) {
			p.log = compile.Detail()
		}
	}
	text, options := p.log, p.options
	close(p.built)
	p.mu.Unlock()
	if p.ctx.platform.cfg.Log != nil {
		p.ctx.platform.logf("%s in %v with options %q: %v", what, time.Since(began).Round(time.Microsecond), options, resultOf(err))
	}
	var wrong *simtc.OptionsError
	var own *Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &own):
		return err
	case errors.As(err, &wrong):
		return fail(optionsCode, "%v", err)
	}
	p.ctx.report("%s failed:\n%s", what, text)
	return fail(failure, "%v", err)
}

func resultOf(err error) string {
	if err != nil {
		return "failed"
	}
	return "succeeded"
}

// background runs a build; if notify is set, it does so in the background, calls notify at the
// end and returns nil.
func background(run func() error, notify func()) error {
	if notify == nil {
		return run()
	}
	go func() {
		_ = run() // the program's status has it
		notify()
	}()
	return nil
}

// Build compiles and links a program. notify may be nil.
func (p *Program) Build(devices []*Device, options string, notify func()) error {
	if err := p.begin(devices, options); err != nil {
		return err
	}
	return background(func() error {
		began := time.Now()
		err := p.build(options)
		return p.end("building a program", began, err, cl.INVALID_BUILD_OPTIONS, cl.BUILD_PROGRAM_FAILURE)
	}, notify)
}

func (p *Program) build(options string) error {
	if !p.isText {
		if len(p.units) == 0 {
			return fail(cl.INVALID_BINARY, "the binary is invalid")
		}
		if p.binary == cl.PROGRAM_BINARY_TYPE_LIBRARY {
			return nil
		}
		return p.link(p.units)
	}
	var included []simtc.Inclusion
	x, log, err := p.ctx.compile(p.source, simtc.Options{File: file, BuildOptions: options}, &included)
	if err != nil {
		return err
	}
	p.succeed(x, log, cl.PROGRAM_BINARY_TYPE_EXECUTABLE, []unit{{p.source, options, included}})
	return nil
}

func (p *Program) succeed(x *executable, log string, kind int, units []unit) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.exec.release()
	p.exec, p.log, p.binary, p.units = x, log, kind, units
}

// compile compiles a program. Programs without included files and variables that are equal share
// one executable.
func (c *Context) compile(source string, o simtc.Options, included *[]simtc.Inclusion) (*executable, string, error) {
	o.Target = c.platform.cfg.Target // "" also lets code of one lane be for another target
	o.Threads = c.devices[0].units
	o.Printf = c.output
	o.OutOfBoundsReads = true // as on other devices
	key := sha256.New()
	for _, s := range append([]simtc.Source{{Text: source, BuildOptions: o.BuildOptions}}, o.Sources...) {
		fmt.Fprintf(key, "%q %q\n", s.Text, s.BuildOptions)
	}
	name := hex.EncodeToString(key.Sum(nil)) + o.Target
	shared.Lock()
	x := shared.by[name]
	if x != nil {
		x.uses++
	}
	shared.Unlock()
	if x == nil {
		prog, err := simtc.Compile(source, o)
		if err != nil {
			return nil, "", err
		}
		x = &executable{Program: prog}
		if len(prog.Includes()) == 0 && prog.VariableBytes() == 0 {
			shared.Lock()
			if other := shared.by[name]; other != nil {
				x = other // a build at the same time
			} else {
				x.key, shared.by[name] = name, x
			}
			x.uses++
			shared.Unlock()
		}
	}
	if included != nil {
		*included = x.Includes()
	}
	var log strings.Builder
	for _, w := range x.Warnings() {
		log.WriteString(x.FormatWarning(w))
	}
	return x, log.String(), nil
}

// Compile compiles a program without linking it. headers are the sources of embedded headers by
// the names with which they are included.
func (p *Program) Compile(devices []*Device, options string, headers map[string]*Program, notify func()) error {
	if !p.isText {
		return fail(cl.INVALID_OPERATION, "the program has no source")
	}
	texts := map[string]string{}
	for name, h := range headers {
		if h.ctx != p.ctx || !h.isText {
			return fail(cl.INVALID_OPERATION, "header %q is no source", name)
		}
		texts[name] = h.source
	}
	if err := p.begin(devices, options); err != nil {
		return err
	}
	return background(func() error {
		began := time.Now()
		lib, err := simtc.Compile(p.source, simtc.Options{File: file, BuildOptions: options, Headers: texts, Library: true})
		if err == nil {
			var log strings.Builder
			for _, w := range lib.Warnings() {
				log.WriteString(lib.FormatWarning(w))
			}
			p.succeed(nil, log.String(), cl.PROGRAM_BINARY_TYPE_COMPILED_OBJECT, []unit{{p.source, options, lib.Includes()}})
		}
		return p.end("compiling a program", began, err, cl.INVALID_COMPILER_OPTIONS, cl.COMPILE_PROGRAM_FAILURE)
	}, notify)
}

// linkOptions lists the options of clLinkProgram besides -create-library.
var linkOptions = []string{
	"-enable-link-options", "-cl-denorms-are-zero", "-cl-no-signed-zeros", "-cl-no-signed-zeroes", "-cl-unsafe-math-optimizations",
	"-cl-finite-math-only", "-cl-fast-relaxed-math", "-cl-no-subgroup-ifp",
}

// Link links compiled programs and libraries to a new program, which exists also if linking
// fails; then err has the reason. notify may be nil.
func (c *Context) Link(devices []*Device, options string, programs []*Program, notify func(*Program)) (*Program, error) {
	if len(programs) == 0 {
		return nil, fail(cl.INVALID_VALUE, "no programs to link")
	}
	if len(devices) == 0 {
		devices = c.devices
	}
	for _, d := range devices {
		if err := c.has(d); err != nil {
			return nil, err
		}
	}
	library := false
	for _, o := range strings.Fields(options) {
		library = library || o == "-create-library"
		if o != "-create-library" && !slices.Contains(linkOptions, o) {
			return nil, fail(cl.INVALID_LINKER_OPTIONS, "unknown option %q", o)
		}
	}
	var units []unit
	for _, p := range programs {
		if p.ctx != c {
			return nil, fail(cl.INVALID_PROGRAM, "a program of another context")
		}
		p.mu.Lock()
		ok := p.binary == cl.PROGRAM_BINARY_TYPE_COMPILED_OBJECT || p.binary == cl.PROGRAM_BINARY_TYPE_LIBRARY
		units = append(units, p.units...)
		p.mu.Unlock()
		if !ok {
			return nil, fail(cl.INVALID_OPERATION, "a program to link is not compiled")
		}
	}
	p := c.newProgram(devices)
	p.status, p.options, p.built = cl.BUILD_IN_PROGRESS, options, make(chan struct{})
	run := func() error {
		began := time.Now()
		var err error
		if library {
			_, _, err = c.linked(units, true)
			if err == nil {
				p.succeed(nil, "", cl.PROGRAM_BINARY_TYPE_LIBRARY, units)
			}
		} else {
			err = p.link(units)
		}
		return p.end("linking a program", began, err, cl.INVALID_LINKER_OPTIONS, cl.LINK_PROGRAM_FAILURE)
	}
	if notify == nil {
		return p, run()
	}
	return p, background(run, func() { notify(p) })
}

func (p *Program) link(units []unit) error {
	x, log, err := p.ctx.linked(units, false)
	if err == nil {
		p.succeed(x, log, cl.PROGRAM_BINARY_TYPE_EXECUTABLE, units)
	}
	return err
}

// linked compiles units to one program.
func (c *Context) linked(units []unit, library bool) (*executable, string, error) {
	o := simtc.Options{File: "link.cl", Library: library}
	for i, u := range units {
		name := file
		if i > 0 {
			name = fmt.Sprintf("kernel%d.cl", i+1)
		}
		o.Sources = append(o.Sources, simtc.Source{File: name, Text: u.Text, BuildOptions: u.Options, Include: u.replay(name)})
	}
	if library {
		_, err := simtc.Compile("", o)
		return nil, "", err
	}
	return c.compile("", o, nil)
}

// replay returns a function that finds the files that the unit included when it was compiled.
// self is the unit's name.
func (u *unit) replay(self string) func(name, from string, angled bool) (path, text string, err error) {
	type key struct {
		name, from string
		angled     bool
	}
	files := map[key]simtc.Inclusion{}
	for _, i := range u.Includes {
		files[key{i.Name, i.From, i.Angled}] = i
	}
	return func(name, from string, angled bool) (path, text string, err error) {
		if from == self {
			from = file
		}
		i, ok := files[key{name, from, angled}]
		if !ok {
			return "", "", errors.New("the file was not included when the program was compiled")
		}
		return i.Path, i.Text, nil
	}
}

// binaryMagic begins binaries; the digit is the version of the format. A SHA-256 of the content
// follows, and the content in JSON.
const binaryMagic = "simtcCL1"

type binaryContent struct {
	Type    int    `json:"type"`
	Options string `json:"options"`
	Units   []unit `json:"units"`
}

// Binary returns a binary of the program, nil if it is not compiled.
func (p *Program) Binary() []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.binary == cl.PROGRAM_BINARY_TYPE_NONE {
		return nil
	}
	content, err := json.Marshal(binaryContent{p.binary, p.options, p.units})
	if err != nil {
		return nil
	}
	sum := sha256.Sum256(content)
	return append(append([]byte(binaryMagic), sum[:]...), content...)
}

// NewProgramFromBinary returns a program from a binary.
func (c *Context) NewProgramFromBinary(devices []*Device, binary []byte) (*Program, error) {
	for _, d := range devices {
		if err := c.has(d); err != nil {
			return nil, err
		}
	}
	var content binaryContent
	rest, ok := strings.CutPrefix(string(binary), binaryMagic)
	if ok = ok && len(rest) > sha256.Size; ok {
		sum := sha256.Sum256([]byte(rest[sha256.Size:]))
		ok = string(sum[:]) == rest[:sha256.Size] && json.Unmarshal([]byte(rest[sha256.Size:]), &content) == nil && len(content.Units) > 0
	}
	if !ok {
		return nil, fail(cl.INVALID_BINARY, "not a binary of this version of the driver, or it is damaged")
	}
	p := c.newProgram(devices)
	p.binary, p.options, p.units = content.Type, content.Options, content.Units
	return p, nil
}

// names lists the kernels.
func (p *Program) names() ([]string, error) {
	if p.exec == nil {
		return nil, fail(cl.INVALID_PROGRAM_EXECUTABLE, "the program is not built")
	}
	var names []string
	for _, k := range p.exec.Kernels() {
		names = append(names, k.Name())
	}
	return names, nil
}

// Info answers a query of clGetProgramInfo. The binaries are returned by Binary.
func (p *Program) Info(name int) (any, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch name {
	case cl.PROGRAM_REFERENCE_COUNT:
		return p.references(), nil
	case cl.PROGRAM_CONTEXT:
		return p.ctx, nil
	case cl.PROGRAM_NUM_DEVICES:
		return uint32(len(p.devices)), nil
	case cl.PROGRAM_DEVICES:
		return p.devices, nil
	case cl.PROGRAM_SOURCE:
		return p.source, nil
	case cl.PROGRAM_IL:
		return nil, nil
	case cl.PROGRAM_BINARY_SIZES:
		p.mu.Unlock()
		n := len(p.Binary())
		p.mu.Lock()
		return slices.Repeat([]int{n}, len(p.devices)), nil
	case cl.PROGRAM_NUM_KERNELS:
		names, err := p.names()
		return len(names), err
	case cl.PROGRAM_KERNEL_NAMES:
		names, err := p.names()
		return strings.Join(names, ";"), err
	case cl.PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, cl.PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT:
		return false, nil
	}
	return nil, badName(name)
}

// Devices lists the devices of the program.
func (p *Program) Devices() []*Device { return p.devices }

// BuildInfo answers a query of clGetProgramBuildInfo.
func (p *Program) BuildInfo(d *Device, name int) (any, error) {
	if !slices.Contains(p.devices, d) {
		return nil, fail(cl.INVALID_DEVICE, "the program is not for that device")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch name {
	case cl.PROGRAM_BUILD_STATUS:
		return int32(p.status), nil
	case cl.PROGRAM_BUILD_OPTIONS:
		return p.options, nil
	case cl.PROGRAM_BUILD_LOG:
		return p.log, nil
	case cl.PROGRAM_BINARY_TYPE:
		return uint32(p.binary), nil
	case cl.PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE:
		if p.exec == nil {
			return 0, nil
		}
		return p.exec.VariableBytes(), nil
	}
	return nil, badName(name)
}

// Context returns the context of the program.
func (p *Program) Context() *Context { return p.ctx }
