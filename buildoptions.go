package simtc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simtc/simtc/clc"
)

// ignoredBuildOptions lists options of clBuildProgram without effect: results are as precise
// with them as without, and launches need no promises.
var ignoredBuildOptions = []string{
	"-cl-denorms-are-zero", "-cl-fp32-correctly-rounded-divide-sqrt", "-cl-opt-disable", "-cl-opt-enable",
	"-cl-strict-aliasing", "-cl-uniform-work-group-size", "-cl-no-subgroup-ifp", "-cl-mad-enable", "-cl-no-signed-zeros",
	"-cl-kernel-arg-info", "-Wall", "-Wextra", "-g", "-O", "-O0", "-O1", "-O2", "-O3", "-Os", "-Ofast",
	"-s", "-save-temps", "-create-library", "-enable-link-options",
}

// vendorBuildOptions lists prefixes of other compilers' options, which are ignored.
var vendorBuildOptions = []string{"-cl-nv-", "-cl-intel-", "-cl-ext=", "-fno-", "-fbin-", "-W", "-save-temps="}

// language returns the front end's options, without Include and Kernels, and the directories
// for included files.
func (o *Options) language() (clc.Options, []string, error) {
	l := clc.Options{Defines: slices.Clip(o.Defines), Std: strings.TrimPrefix(o.Std, "CL")}
	dirs := slices.Clip(o.IncludeDirs)
	if l.Std != "" && !slices.Contains(standards, l.Std) {
		return l, nil, fmt.Errorf("unknown version %q of OpenCL C: want one of %s", l.Std, strings.Join(standards, ", "))
	}
	err := parseBuildOptions(o.BuildOptions, &l, &dirs)
	return l, dirs, err
}

// parseBuildOptions adds an option string in the syntax of clBuildProgram (OpenCL 1.2 §5.6.4).
func parseBuildOptions(text string, l *clc.Options, dirs *[]string) error {
	words, err := splitOptions(text)
	if err != nil {
		return err
	}
	for i := 0; i < len(words); i++ {
		w := words[i]
		// The operand of -D, -U, -I and -x may be part of the word or the next word.
		operand := func() (string, error) {
			if len(w) > 2 {
				return w[2:], nil
			}
			if i++; i == len(words) {
				return "", fmt.Errorf("build option %s lacks its operand", w)
			}
			return words[i], nil
		}
		switch {
		case slices.Contains(ignoredBuildOptions, w):
		case w == "-cl-single-precision-constant":
			l.SinglePrecisionConstant = true
		case w == "-w":
			l.NoWarnings = true
		case w == "-Werror":
			l.WarningsAreErrors = true
		case w == "-cl-fast-relaxed-math":
			l.FastMath, l.Reassociate = true, true
		case w == "-cl-unsafe-math-optimizations":
			l.Reassociate = true
		case w == "-ffp-contract=off":
			l.NoContract = true
		case w == "-ffp-contract=on", w == "-ffp-contract=fast":
			l.NoContract = false
		case w == "-cl-finite-math-only":
		case strings.HasPrefix(w, "-cl-std="):
			std := strings.TrimPrefix(strings.TrimPrefix(w, "-cl-std="), "CL")
			if !slices.Contains(standards, std) {
				return fmt.Errorf("build option %s: want one of %s", w, "CL"+strings.Join(standards, ", CL"))
			}
			l.Std = std
		case strings.HasPrefix(w, "-D"):
			d, err := operand()
			if err != nil {
				return err
			}
			l.Defines = append(l.Defines, d)
		case strings.HasPrefix(w, "-U"):
			u, err := operand()
			if err != nil {
				return err
			}
			l.Undefs = append(l.Undefs, u)
		case strings.HasPrefix(w, "-I"):
			d, err := operand()
			if err != nil {
				return err
			}
			*dirs = append(*dirs, d)
		case strings.HasPrefix(w, "-x"):
			lang, err := operand()
			if err != nil {
				return err
			}
			if lang != "clc" && lang != "cl" {
				return fmt.Errorf("build option -x %s: the language must be clc", lang)
			}
		default:
			if slices.ContainsFunc(vendorBuildOptions, func(p string) bool { return strings.HasPrefix(w, p) }) {
				continue
			}
			return fmt.Errorf("unknown build option %q", w)
		}
	}
	return nil
}

// standards lists the versions of OpenCL C.
var standards = []string{"1.0", "1.1", "1.2", "2.0", "3.0"}

// splitOptions splits at white space outside of quotes; a backslash escapes a quote, blank or
// backslash.
func splitOptions(text string) ([]string, error) {
	var words []string
	var word strings.Builder
	var quote byte
	open := false // inside a word; a quoted word may be empty
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\' && quote != '\'' && i+1 < len(text) && strings.IndexByte("\\\"' ", text[i+1]) >= 0:
			i++
			word.WriteByte(text[i])
			open = true
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote, open = c, true
		case quote == 0 && strings.IndexByte(" \t\r\n", c) >= 0:
			if open {
				words = append(words, word.String())
				word.Reset()
			}
			open = false
		default:
			word.WriteByte(c)
			open = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("build options %q: a quote is not closed", text)
	}
	if open {
		words = append(words, word.String())
	}
	return words, nil
}
