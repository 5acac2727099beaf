package parse

// word is a keyword, with all spelling variants mapped to one value; 0 means no keyword.
// Type names that are not part of C (uchar, float4, size_t) are not keywords.
type word uint8

const (
	_ word = iota

	// type specifiers
	wVoid
	wChar
	wShort
	wInt
	wLong
	wFloat
	wDouble
	wSigned
	wUnsigned
	wBool
	wStruct
	wUnion
	wEnum
	wTypeof

	// storage and function specifiers
	wTypedef
	wExtern
	wStatic
	wAuto
	wRegister
	wInline
	wKernel

	// qualifiers
	wConst
	wVolatile
	wRestrict
	wGlobal
	wConstant
	wLocal
	wPrivate
	wGeneric
	wReadOnly
	wWriteOnly
	wReadWrite

	wAttribute
	wExtension
	wUnsupported // reserved for an unsupported construct
	wStaticAssert

	// statements
	wIf
	wElse
	wFor
	wWhile
	wDo
	wSwitch
	wCase
	wDefault
	wBreak
	wContinue
	wGoto
	wReturn

	// operators
	wSizeof
	wAlignof
	wVecStep
)

// inDeclSpec reports whether w may be a declaration specifier.
func (w word) inDeclSpec() bool { return w >= wVoid && w <= wUnsupported }

func (w word) beginsStmt() bool { return w >= wIf && w <= wReturn && w != wElse }

var keywords = map[string]word{}

func init() {
	for w, names := range map[word][]string{
		wVoid: {"void"}, wChar: {"char"}, wShort: {"short"}, wInt: {"int"}, wLong: {"long"},
		wFloat: {"float"}, wDouble: {"double"},
		wSigned:   {"signed", "__signed", "__signed__"},
		wUnsigned: {"unsigned"},
		wBool:     {"bool", "_Bool"},
		wStruct:   {"struct"}, wUnion: {"union"}, wEnum: {"enum"},
		wTypeof:  {"typeof", "__typeof", "__typeof__"},
		wTypedef: {"typedef"}, wExtern: {"extern"}, wStatic: {"static"}, wAuto: {"auto"},
		wRegister:  {"register"},
		wInline:    {"inline", "__inline", "__inline__"},
		wKernel:    {"kernel", "__kernel"},
		wConst:     {"const", "__const", "__const__"},
		wVolatile:  {"volatile", "__volatile", "__volatile__"},
		wRestrict:  {"restrict", "__restrict", "__restrict__"},
		wGlobal:    {"global", "__global"},
		wConstant:  {"constant", "__constant"},
		wLocal:     {"local", "__local"},
		wPrivate:   {"private", "__private"},
		wGeneric:   {"__generic"},
		wReadOnly:  {"read_only", "__read_only"},
		wWriteOnly: {"write_only", "__write_only"},
		wReadWrite: {"read_write", "__read_write"},
		wAttribute: {"__attribute__", "__attribute"},
		wExtension: {"__extension__"},
		wUnsupported: {"asm", "__asm", "__asm__", "_Complex", "_Imaginary", "_Atomic", "_Thread_local",
			"_Generic", "__pipe"},
		wStaticAssert: {"_Static_assert"},
		wIf:           {"if"}, wElse: {"else"}, wFor: {"for"}, wWhile: {"while"}, wDo: {"do"}, wSwitch: {"switch"},
		wCase: {"case"}, wDefault: {"default"}, wBreak: {"break"}, wContinue: {"continue"}, wGoto: {"goto"},
		wReturn: {"return"},
		wSizeof: {"sizeof"}, wAlignof: {"_Alignof", "__alignof__", "__alignof"}, wVecStep: {"vec_step"},
	} {
		for _, name := range names {
			keywords[name] = w
		}
	}
}
