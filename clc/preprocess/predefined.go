package preprocess

import (
	"fmt"
	"strings"
)

// Define is a macro by its name, with the parameters if it has some, and the
// text it stands for.
type Define struct {
	Name  string
	Value string
}

// stdVersions are the values of Options.Std, without "CL".
var stdVersions = map[string]string{
	"": "120", "1.0": "100", "1.1": "110", "1.2": "120", "2.0": "200", "3.0": "300",
}

// Predefined returns the macros that every file starts with, in the order they
// are defined: C99 §6.10.8 and OpenCL C 1.2 §6.10. std is as in Options; ok is
// false when it is no version, and the macros are those of 1.2 then.
//
// __DATE__ and __TIME__ are always the same, so that the same text gives the same
// tokens; §6.10.8 asks for a valid date where that of the translation is not
// available.
//
// What depends on the device or on options (extensions, __IMAGE_SUPPORT__,
// __FAST_RELAXED_MATH__, __EMBEDDED_PROFILE__) is the caller's to define.
// __FILE__, __LINE__ and __COUNTER__ have no fixed value and are not listed.
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
		// What clang has beyond C is not told apart: code that asks has a way without.
		{"__has_attribute(x)", "0"},
		{"__has_builtin(x)", "0"},
		{"__has_extension(x)", "0"},
		{"__has_feature(x)", "0"},
		{"__kernel_exec(X, typen)", hint},
		{"kernel_exec(X, typen)", hint},
	}, ok
}

// builtinFile and CommandFile name in positions what stands in no file: CommandFile is
// what the options define and undefine.
const (
	builtinFile = "<built-in>"
	CommandFile = "<command line>"
)

// predefine runs the predefined macros and the options through the ordinary
// directives, one a line.
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
		p.errorAt(loc{file: p.names.index(CommandFile)}, nil, "'%s' is no version of OpenCL C (1.0, 1.1, 1.2, 2.0, 3.0)", p.opt.Std)
	}
}

// definition is the directive of a macro as after -D.
func definition(d string) string {
	name, value, given := strings.Cut(d, "=")
	if !given {
		value = "1"
	}
	return "#define " + name + " " + value + "\n"
}

// runText obeys the directives in text, which holds nothing else. A line that
// is continued by a backslash takes in the next one, whose definition is then
// missing: no more than the user asked for.
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
