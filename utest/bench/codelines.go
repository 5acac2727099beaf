package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// decl is a declaration of a module: a function, a method, or a type, variable or constant with
// the group that it is declared in.
type decl struct {
	dir, file string
	name      string // "Func", "Type.Method"
	lines     int    // with its comment
	variable  bool
	root      bool // live without being referenced
	uses      []ref
	selectors []string // names that may be methods
	targets   []*decl  // of uses, each once
	methods   []*decl  // of a type
	variables []*decl  // of the package, that an initialization uses
}

// ref names a declaration of a package, by the package's directory.
type ref struct{ dir, name string }

// module is the reference graph of the declarations of a module, without its tests. Methods are
// resolved by name: a method is live if its type is, and if it is exported or selected in live
// code.
type module struct {
	decls  []*decl
	byName map[ref]*decl
	all    map[*decl]bool // those that are live; nil: not computed
	// inits has the initializations of each package. They are live if a variable is that they use,
	// or, if they use none, with the package.
	inits map[string][]*decl
	// imports maps the names of imported packages of the module to their directories, by file.
	imports map[string]map[string]string
}

// readModule parses the Go files of the module with the given path, without tests and test tools.
func readModule(tree fs.FS, modulePath string) (*module, error) {
	m := &module{byName: map[ref]*decl{}, inits: map[string][]*decl{}, imports: map[string]map[string]string{}}
	err := fs.WalkDir(tree, ".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || file == "utest" || len(d.Name()) > 1 && strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case d.IsDir() || path.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go"):
			return nil
		}
		text, err := fs.ReadFile(tree, file)
		if err != nil {
			return err
		}
		return m.add(file, modulePath, text)
	})
	m.link()
	return m, err
}

// link resolves the references between declarations.
func (m *module) link() {
	for _, d := range m.decls {
		seen := map[*decl]bool{}
		for _, u := range d.uses {
			if t := m.byName[u]; t != nil && !seen[t] {
				seen[t] = true
				d.targets = append(d.targets, t)
			}
		}
		if slices.Contains(m.inits[d.dir], d) {
			d.variables = slices.DeleteFunc(slices.Clone(d.targets), func(v *decl) bool { return !v.variable || v == d || v.dir != d.dir })
		}
		slices.Sort(d.selectors)
		d.selectors = slices.Compact(d.selectors)
		if of, _, isMethod := strings.Cut(d.name, "."); isMethod {
			if t := m.byName[ref{d.dir, of}]; t != nil {
				t.methods = append(t.methods, d)
			}
		}
	}
}

// add adds the declarations of a file.
func (m *module) add(file, modulePath string, text []byte) error {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, text, parser.ParseComments)
	if err != nil {
		return err
	}
	dir := path.Dir(file)
	imports := map[string]string{}
	for _, s := range f.Imports {
		p, err := strconv.Unquote(s.Path.Value)
		if err != nil {
			return err
		}
		sub, ok := strings.CutPrefix(p, modulePath)
		if !ok || sub != "" && sub[0] != '/' {
			continue
		}
		name := strings.ReplaceAll(path.Base(p), "-", "") // as the packages of this module are named
		if s.Name != nil {
			name = s.Name.Name
		}
		imports[name] = path.Join(".", sub)
	}
	m.imports[file] = imports
	for _, n := range f.Decls {
		d := &decl{dir: dir, file: file, lines: lineCount(fset, n)}
		d.collect(n, imports)
		switch n := n.(type) {
		case *ast.FuncDecl:
			d.name = n.Name.Name
			d.root = n.Recv == nil && d.name == "main" && f.Name.Name == "main"
			if n.Recv != nil {
				d.name = receiver(n.Recv.List[0].Type) + "." + d.name
			}
			if d.name == "init" {
				m.inits[dir] = append(m.inits[dir], d)
			} else {
				m.byName[ref{dir, d.name}] = d
			}
		case *ast.GenDecl:
			if n.Tok == token.IMPORT {
				continue
			}
			d.variable = n.Tok == token.VAR
			for _, s := range n.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					d.name = s.Name.Name
					m.byName[ref{dir, d.name}] = d
				case *ast.ValueSpec:
					for _, name := range s.Names {
						d.name = name.Name
						if d.name == "_" {
							m.inits[dir] = append(m.inits[dir], d)
							continue
						}
						m.byName[ref{dir, d.name}] = d
					}
				}
			}
		}
		if dir == "." && ast.IsExported(d.name) {
			d.root = true
		}
		m.decls = append(m.decls, d)
	}
	return nil
}

// lineCount returns the number of lines of a declaration with its comment.
func lineCount(fset *token.FileSet, n ast.Decl) int {
	start := n.Pos()
	switch n := n.(type) {
	case *ast.FuncDecl:
		if n.Doc != nil {
			start = n.Doc.Pos()
		}
	case *ast.GenDecl:
		if n.Doc != nil {
			start = n.Doc.Pos()
		}
	}
	return fset.Position(n.End()).Line - fset.Position(start).Line + 1
}

// receiver returns the name of the type of a receiver.
func receiver(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return receiver(x.X)
	case *ast.IndexExpr:
		return receiver(x.X)
	case *ast.IndexListExpr:
		return receiver(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}

// collect records the names that a declaration uses.
func (d *decl) collect(n ast.Node, imports map[string]string) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if p, ok := n.X.(*ast.Ident); ok && imports[p.Name] != "" {
				d.uses = append(d.uses, ref{imports[p.Name], n.Sel.Name})
				return false
			}
			d.selectors = append(d.selectors, n.Sel.Name)
		case *ast.Ident:
			d.uses = append(d.uses, ref{d.dir, n.Name})
		}
		return true
	})
}

// live returns the declarations that are reachable from some, without passing through those for
// which removed is true.
func (m *module) live(from []*decl, removed func(*decl) bool) map[*decl]bool {
	live, selected := map[*decl]bool{}, map[string]bool{}
	waiting := map[string][]*decl{} // methods of live types, by the name that would make them live
	var work []*decl
	mark := func(d *decl) {
		if d != nil && !live[d] && !removed(d) {
			live[d] = true
			work = append(work, d)
		}
	}
	for _, d := range from {
		mark(d)
	}
	for len(work) > 0 {
		d := work[len(work)-1]
		work = work[:len(work)-1]
		for _, i := range m.inits[d.dir] {
			if len(i.variables) == 0 || d.variable && slices.Contains(i.variables, d) {
				mark(i)
			}
		}
		for _, t := range d.targets {
			mark(t)
		}
		for _, method := range d.methods {
			if _, name, _ := strings.Cut(method.name, "."); selected[name] || ast.IsExported(name) {
				mark(method)
			} else {
				waiting[name] = append(waiting[name], method)
			}
		}
		for _, name := range d.selectors {
			if !selected[name] {
				selected[name] = true
				for _, method := range waiting[name] {
					mark(method)
				}
				delete(waiting, name)
			}
		}
	}
	return live
}

// roots lists the declarations from which the module is entered.
func (m *module) roots() []*decl {
	return slices.DeleteFunc(slices.Clone(m.decls), func(d *decl) bool { return !d.root })
}

func lines(decls map[*decl]bool) (n int) {
	for d := range decls {
		n += d.lines
	}
	return n
}

// deadLines returns the number of lines that become dead when declarations are removed, with
// those. Declarations that are dead anyway do not count.
func (m *module) deadLines(removed func(*decl) bool) int {
	if m.all == nil {
		m.all = m.live(m.roots(), func(*decl) bool { return false })
	}
	rest, n := m.live(m.roots(), removed), 0
	for d := range m.all {
		if !rest[d] {
			n += d.lines
		}
	}
	return n
}

// reachedLines returns the number of lines that passes reach in their own packages, shared or not.
func (m *module) reachedLines(run []*decl) int {
	all := m.live(run, func(*decl) bool { return false })
	maps.DeleteFunc(all, func(d *decl, _ bool) bool {
		return !slices.ContainsFunc(run, func(x *decl) bool { return x.dir == d.dir })
	})
	return lines(all)
}

// passTables are the tables of passes: the file, the variable, and the stage of its rows. Others
// that refer to them are not listed.
var passTables = []struct{ file, variable, stage string }{
	{"opt/passes.go", "Simplify", "scalar"},
	{"opt/passes.go", "Canonicalize", "scalar"},
	{"pipeline/passes.go", "scalarPasses", "scalar"},
	{"pipeline/lanes.go", "lanePasses", "lanes"},
	{"vir/opt/opt.go", "Passes", "vector"},
	{"pipeline/passes.go", "joinPasses", "join"},
	{"vir/opt/opt.go", "Final", "final"},
	{"targets/avx512/passes.go", "legalPasses", "legal"},
	{"targets/x86/emit.go", "machinePasses", "machine"},
}

// passFuncs returns the functions of the passes in the tables of a module, by "stage/name".
func (m *module) passFuncs(tree fs.FS) (map[string]ref, error) {
	out := map[string]ref{}
	for _, t := range passTables {
		text, err := fs.ReadFile(tree, t.file)
		if err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(token.NewFileSet(), t.file, text, 0)
		if err != nil {
			return nil, err
		}
		before := len(out)
		ast.Inspect(f, func(n ast.Node) bool {
			s, ok := n.(*ast.ValueSpec)
			if !ok || !slices.ContainsFunc(s.Names, func(x *ast.Ident) bool { return x.Name == t.variable }) {
				return true
			}
			ast.Inspect(s, func(n ast.Node) bool {
				if row, ok := n.(*ast.CompositeLit); ok {
					if name, run, ok := passRow(row); ok {
						out[t.stage+"/"+name] = m.resolve(t.file, run)
					}
				}
				return true
			})
			return false
		})
		if len(out) == before {
			return nil, fmt.Errorf("%s: no passes in %s", t.file, t.variable)
		}
	}
	return out, nil
}

// passRow returns the name and the function of a row of a table of passes.
func passRow(row *ast.CompositeLit) (name string, run ast.Expr, ok bool) {
	for _, e := range row.Elts {
		field, isField := e.(*ast.KeyValueExpr)
		if !isField {
			continue
		}
		key, _ := field.Key.(*ast.Ident)
		switch {
		case key == nil:
		case key.Name == "Name":
			if lit, isLit := field.Value.(*ast.BasicLit); isLit {
				name, _ = strconv.Unquote(lit.Value)
			}
		case key.Name == "Run":
			run = field.Value
		}
	}
	return name, run, name != "" && run != nil
}

// resolve returns the declaration that an expression in a file names.
func (m *module) resolve(file string, x ast.Expr) ref {
	switch x := x.(type) {
	case *ast.Ident:
		return ref{path.Dir(file), x.Name}
	case *ast.SelectorExpr:
		if p, ok := x.X.(*ast.Ident); ok {
			return ref{m.imports[file][p.Name], x.Sel.Name}
		}
	case *ast.CallExpr: // of a function that makes a pass of its argument
		if len(x.Args) == 1 {
			return m.resolve(file, x.Args[0])
		}
	}
	return ref{}
}

// size is the size of a part in lines of code, with comments and without tests: those that would be
// dead without it, and those of its package that it reaches. 0: unknown.
type size struct{ own, reached int }

// partSizes returns the sizes of the passes, and of the features with files of their own. A pass that
// has a required run, too, has no lines of its own.
func partSizes(tree fs.FS, modulePath string, parts []part) (map[string]size, error) {
	m, err := readModule(tree, modulePath)
	if err != nil {
		return nil, err
	}
	funcs, err := m.passFuncs(tree)
	if err != nil {
		return nil, err
	}
	out := map[string]size{}
	for _, p := range parts {
		if p.feature != nil {
			if len(p.feature.files) > 0 {
				out[p.name] = size{own: m.deadLines(func(d *decl) bool {
					return slices.Contains(p.feature.files, d.file) || slices.Contains(p.feature.files, d.dir)
				})}
			}
			continue
		}
		var run []*decl
		for _, name := range p.passes {
			d := m.byName[funcs[name]]
			if d == nil {
				return nil, fmt.Errorf("the tables of passes do not list %s", name)
			}
			run = append(run, d)
		}
		var n size
		if !p.partly {
			n.own = m.deadLines(func(d *decl) bool { return slices.Contains(run, d) })
		}
		if !strings.HasPrefix(p.name, "lanes/") { // functions that call a package each
			n.reached = m.reachedLines(run)
		}
		out[p.name] = n
	}
	return out, nil
}
