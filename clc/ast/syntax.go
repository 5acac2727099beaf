package ast

import (
	"github.com/simtc/simtc/clc/types"
	"github.com/simtc/simtc/internal/diag"
)

// This file holds the syntax of types, which only the parser and the checker use.

// Storage is a set of storage classes and function specifiers.
type Storage uint8

const (
	Typedef Storage = 1 << iota
	Extern
	Static
	Auto
	Register
	Inline
	KernelFn
)

// DeclSpec is the list of declaration specifiers at the start of a declaration.
type DeclSpec struct {
	At      diag.Pos
	Storage Storage
	Quals   types.Quals
	Space   types.Space
	// HasSpace distinguishes an explicit __private from no address space.
	HasSpace bool
	SpaceAt  diag.Pos
	Base     BaseType
	Attrs    []Attr
}

// BaseType is a type specifier: exactly one of Type, Name, Record, Enum and
// TypeofX/TypeofT is set; none after an error.
type BaseType struct {
	At      diag.Pos
	Type    types.Type // a reserved name: int, float4, image2d_t
	Word    string     // with Type, the name as written if it is one word: "size_t"
	Name    string     // a typedef name
	Record  *RecordSpec
	Enum    *EnumSpec
	TypeofX Expr
	TypeofT *TypeName
}

// RecordSpec is a struct or union specifier, with its members if HasBody.
type RecordSpec struct {
	At      diag.Pos
	Union   bool
	Tag     string
	HasBody bool
	Members []*MemberDecl
	Attrs   []Attr
	Pack    int64 // the alignment limit of #pragma pack for members, 0 if none
}

// MemberDecl is one member declaration.
type MemberDecl struct {
	At    diag.Pos
	Spec  *DeclSpec
	Decls []*Declarator // empty for an anonymous member
}

// EnumSpec is an enum specifier, with its constants if HasBody.
type EnumSpec struct {
	At      diag.Pos
	Tag     string
	HasBody bool
	Consts  []*EnumConst
	Attrs   []Attr
}

// EnumConst is one enumerator; X is nil if no value is given.
type EnumConst struct {
	At    diag.Pos
	Name  string
	X     Expr
	Value int64 // when checked
	Type  types.Type
}

// Attr is one attribute of an __attribute__((...)), named without surrounding
// underscores. Args are its arguments; an argument that is a type is in Type.
type Attr struct {
	At   diag.Pos
	Name string
	Args []Expr
	Type *TypeName
	Word string // an argument that is a word: M in mode(M)
}

// Declarator is a declared name with its derivations. Chain lists these from the name
// outwards: for int *a[3] it is [3], *.
type Declarator struct {
	At    diag.Pos
	Name  string // "" in type names and unnamed parameters
	Chain []Derivation
	Attrs []Attr
	// BitField is the width of a bit-field, otherwise nil.
	BitField Expr
}

// DerivationKind is the kind of a Derivation.
type DerivationKind uint8

const (
	PointerTo DerivationKind = iota
	ArrayOf
	FuncOf
)

// Derivation is one pointer, array or function declarator.
type Derivation struct {
	At   diag.Pos
	Kind DerivationKind
	// PointerTo: qualifiers and address space of the pointer itself.
	Quals    types.Quals
	Space    types.Space
	HasSpace bool
	// ArrayOf: the length, nil for [].
	Len Expr
	// FuncOf:
	Params   []*ParamDecl
	Variadic bool
}

// ParamDecl is one parameter.
type ParamDecl struct {
	At   diag.Pos
	Spec *DeclSpec
	Dcl  *Declarator
}

// InitDeclarator is a declarator with its initializer, an expression, an
// *InitList or nil.
type InitDeclarator struct {
	Dcl  *Declarator
	Init Expr
}

// TypeName is a type as written in casts and sizeof.
type TypeName struct {
	At   diag.Pos
	Spec *DeclSpec
	Dcl  *Declarator
	Type types.Type // when checked
}
