package preprocess

import (
	"fmt"
	"math/rand"
	"strings"
)

// soup generates random programs of macros that call each other.
type soup struct {
	r         *rand.Rand
	b         strings.Builder
	macros    []soupMacro
	pasteRest bool // __VA_ARGS__ may be an operand of ##
}

type soupMacro struct {
	name   string
	params int // -1 for an object-like macro
	rest   bool
}

// makeSoup returns a program with definitions, conditionals and lines of text.
func makeSoup(seed int64, pasteRest bool) string {
	s := &soup{r: rand.New(rand.NewSource(seed)), pasteRest: pasteRest}
	for i := 0; i < 4+s.r.Intn(10); i++ {
		s.define(i)
	}
	for i := 0; i < 4+s.r.Intn(12); i++ {
		switch s.r.Intn(12) {
		case 0:
			s.define(i)
		case 1:
			fmt.Fprintf(&s.b, "#undef %s\n", s.pick().name)
		case 2:
			fmt.Fprintf(&s.b, "#if %s\n", s.condition())
			s.line()
			if s.r.Intn(2) == 0 {
				fmt.Fprintf(&s.b, "#elif defined %s\n", s.pick().name)
				s.line()
			}
			if s.r.Intn(2) == 0 {
				s.b.WriteString("#else\n")
				s.line()
			}
			s.b.WriteString("#endif\n")
		default:
			s.line()
		}
	}
	return s.b.String()
}

func (s *soup) pick() soupMacro { return s.macros[s.r.Intn(len(s.macros))] }

func (s *soup) define(n int) {
	m := soupMacro{name: fmt.Sprintf("M%d", n), params: s.r.Intn(5) - 1}
	m.rest = m.params > 0 && s.r.Intn(5) == 0
	for i, old := range s.macros {
		if old.name == m.name {
			s.macros = append(s.macros[:i], s.macros[i+1:]...)
			break
		}
	}
	s.macros = append(s.macros, m)
	fmt.Fprintf(&s.b, "#undef %s\n#define %s", m.name, m.name)
	var params []string
	if m.params >= 0 {
		for i := 0; i < m.params; i++ {
			params = append(params, fmt.Sprintf("p%d", i))
		}
		list := strings.Join(params, ", ")
		if m.rest {
			params[len(params)-1] = "__VA_ARGS__"
			list = strings.Join(append(params[:len(params)-1:len(params)-1], "..."), ", ")
		}
		s.b.WriteString("(" + list + ")")
	}
	for i := 0; i < s.r.Intn(7); i++ {
		s.b.WriteByte(' ')
		if len(params) == 0 {
			s.item(2, nil)
			continue
		}
		p, q := params[s.r.Intn(len(params))], params[0]
		if m.rest && !s.pasteRest { // other preprocessors lose tokens of __VA_ARGS__ ## x
			p = params[s.r.Intn(max(1, len(params)-1))]
		}
		switch s.r.Intn(10) {
		case 0:
			s.b.WriteString("#" + p)
		case 1, 2:
			fmt.Fprintf(&s.b, "M ## %s", p)
		case 3:
			fmt.Fprintf(&s.b, "%s ## %s", p, q)
		default:
			s.item(2, params)
		}
	}
	s.b.WriteByte('\n')
}

// item emits a token, a name or a call.
func (s *soup) item(depth int, params []string) {
	if len(params) > 0 && s.r.Intn(3) == 0 {
		s.b.WriteString(params[s.r.Intn(len(params))])
		return
	}
	const others = "x y 1 2 + - * ; [ ] < a.b M0 M1 M2 M M3"
	words := strings.Fields(others)
	if depth > 0 && s.r.Intn(2) == 0 && len(s.macros) > 0 {
		m := s.pick()
		s.b.WriteString(m.name)
		if m.params >= 0 && s.r.Intn(8) != 0 {
			s.call(m, depth-1, params)
		}
		return
	}
	s.b.WriteString(words[s.r.Intn(len(words))])
}

func (s *soup) call(m soupMacro, depth int, params []string) {
	s.b.WriteString([]string{"(", " (", "( "}[s.r.Intn(3)])
	n := m.params
	if m.rest {
		n += s.r.Intn(3)
	}
	for i := 0; i < n; i++ {
		if i > 0 {
			s.b.WriteString([]string{",", ", ", " ,"}[s.r.Intn(3)])
		}
		for j := s.r.Intn(3); j > 0; j-- {
			s.item(depth, params)
			s.b.WriteByte(' ')
		}
		if s.r.Intn(8) == 0 {
			s.b.WriteString("(")
			s.item(depth, params)
			s.b.WriteString(", 7)")
		}
	}
	s.b.WriteByte(')')
}

func (s *soup) line() {
	for i := 1 + s.r.Intn(5); i > 0; i-- {
		s.item(3, nil)
		s.b.WriteString([]string{" ", " ", "\n"}[s.r.Intn(3)])
	}
	s.b.WriteByte('\n')
}

// condition emits an expression that is simple enough for any preprocessor.
func (s *soup) condition() string {
	switch s.r.Intn(3) {
	case 0:
		return "defined " + s.pick().name
	case 1:
		return fmt.Sprintf("!defined(%s)", s.pick().name)
	}
	return fmt.Sprintf("%d < %d", s.r.Intn(5), s.r.Intn(5))
}
