package preprocess

import (
	"fmt"
	"strings"
)

// Define is a macro: its name, with the parameters if it has any, and its replacement
// text.
type Define struct {
	Name  string
	Value string
}

// stdVersions maps the values of Options.Std, without "CL", to __OPENCL_C_VERSION__.
var stdVersions = map[string]string{
	"": "120", "1.0": "100", "1.1": "110", "1.2": "120", "2.0": "200", "3.0": "300",
}

// Predefined returns the predefined macros in order of definition (C99 §6.10.8 and OpenCL
// C 1.2 §6.10). std is as in Options; if it is not a valid version, ok is false and the
// macros are those of 1.2.
//
// __DATE__ and __TIME__ are constant, so that the same text gives the same tokens; C99
// §6.10.8 permits any valid date if the date of translation is not available.
//
// Macros that depend on the device or on options (extensions, __IMAGE_SUPPORT__,
// __FAST_RELAXED_MATH__, __EMBEDDED_PROFILE__) are defined by the caller. __FILE__,
// __LINE__ and __COUNTER__ have no fixed value and are not included.
func Predefined(std string) (defs []Define, ok bool) {
	version, ok := stdVersions[strings.TrimPrefix(std, "CL")]
	if !ok {
		version = stdVersions[""]
	}
	device := max(version, stdVersions["1.2"])
	const hint = "__kernel __attribute__((work_group_size_hint(X, 1, 1))) __attribute__((vec_type_hint(typen)))"
	return []Define{
		{"__STDC__", "1"},
		{"__STDC_VERSION__", "199901L"},
		{"__DATE__", `"Jan  1 1970"`},
		{"__TIME__", `"00:00:00"`},
		{"__OPENCL_VERSION__", device},
		{"__OPENCL_C_VERSION__", version},
		{"CL_VERSION_1_0", "100"},
		{"CL_VERSION_1_1", "110"},
		{"CL_VERSION_1_2", "120"},
		{"CL_VERSION_2_0", "200"},
		{"CL_VERSION_3_0", "300"},
		{"__ENDIAN_LITTLE__", "1"},
		// Extensions of clang are not reported as available: code that queries them has a
		// portable alternative.
		{"__has_attribute(x)", "0"},
		{"__has_builtin(x)", "0"},
		{"__has_extension(x)", "0"},
		{"__has_feature(x)", "0"},
		{"__kernel_exec(X, typen)", hint},
		{"kernel_exec(X, typen)", hint},
	}, ok
}

// builtinFile and CommandFile are the file names in positions of definitions that are in
// no file: predefined ones, and those of command line options.
const (
	builtinFile = "<built-in>"
	CommandFile = "<command line>"
)

// predefine runs the predefined macros and the options as ordinary directives, one per
// line.
func (p *preprocessor) predefine() {
	defs, ok := Predefined(p.opt.Std)
	var b strings.Builder
	for _, d := range defs {
		b.WriteString("#define " + d.Name + " " + d.Value + "\n")
	}
	for _, d := range p.opt.Environment {
		b.WriteString(definition(d))
	}
	p.runText(builtinFile, b.String())

	b.Reset()
	lines := uint32(0)
	line := func(text, wrong string) {
		lines++
		if wrong != "" {
			p.errorAt(loc{lines, 1, p.names.index(CommandFile)}, nil, "%s", wrong)
			text = "\n"
		}
		b.WriteString(text)
	}
	oneLine := func(s string) bool { return !strings.ContainsAny(s, "\n\r") }
	for _, d := range p.opt.Defines {
		wrong := ""
		switch name, _, _ := strings.Cut(d, "="); {
		case !oneLine(d):
			wrong = fmt.Sprintf("the definition of '%s' holds a line break", strings.TrimSpace(name))
		case strings.TrimSpace(name) == "":
			wrong = fmt.Sprintf("the definition '%s' has no name", d)
		}
		line(definition(d), wrong)
	}
	for _, name := range p.opt.Undefs {
		wrong := ""
		switch {
		case !oneLine(name):
			wrong = "a name to undefine holds a line break"
		case strings.TrimSpace(name) == "":
			wrong = "a name to undefine is empty"
		case strings.ContainsFunc(strings.TrimSpace(name), func(r rune) bool { return r >= 0x80 || !isIdent[r] }):
			wrong = fmt.Sprintf("a name to undefine is '%s', no identifier", name)
		}
		line("#undef "+name+"\n", wrong)
	}
	p.runText(CommandFile, b.String())
	if !ok {
		p.errorAt(loc{file: p.names.index(CommandFile)}, nil, "'%s' is not a version of OpenCL C (1.0, 1.1, 1.2, 2.0, 3.0)", p.opt.Std)
	}
}

// definition returns the directive for an argument of -D.
func definition(d string) string {
	name, value, given := strings.Cut(d, "=")
	if !given {
		value = "1"
	}
	return "#define " + name + " " + value + "\n"
}

// runText executes the directives in text, which contains nothing else. A line that ends
// in a backslash is continued by the next one, whose definition is then lost, as the user
// requested.
func (p *preprocessor) runText(name, text string) {
	p.push(name, text, loc{})
	var t tok
	for {
		p.cur.next(&t)
		if t.kind == kEOF {
			break
		}
		if t.kind == kHash && t.flags&fBOL != 0 {
			p.directive(&t)
		}
	}
	p.files, p.cur = nil, nil
}
