package check_test

import (
	"strings"
	"testing"

	"github.com/simtc/simtc/clc/check"
	"github.com/stretchr/testify/require"
)

// broken lists small programs with the first error expected, as "line:col: message" (the
// message may be a prefix). A src for which topLevel is true, or that contains {} (which
// is removed), is a whole file; any other is a function body, see inBody.
var broken = []struct{ src, want string }{
	// truncated
	{"void f(", "1:8: expected a type, found end of file"},
	{"void f() {", "1:11: expected '}', found end of file"},
	{"void f() { int x =", "1:19: expected an expression, found end of file"},
	{"void f() { if (1", "1:17: expected ')', found end of file"},
	{"void f() { return 1 + ; }", "1:23: expected an expression, found ';'"},
	{"struct s {", "1:11: expected '}', found end of file"},
	{"struct", "1:7: expected a tag or '{' after struct or union, found end of file"},
	{"enum {", "1:7: expected a name of an enum constant, found end of file"},
	{"typedef", "1:8: expected a type, found end of file"},
	{"__attribute__((", "1:16: expected an attribute name, found end of file"},
	{"void f() { do { }", "1:18: expected 'while' after the body of do, found end of file"},
	{"void f() { switch (1) { case", "1:29: expected an expression, found end of file"},
	{"int", "1:4: expected a name, found end of file"},
	{"int f(int a, ) { }", "1:14: expected a type, found ')'"},
	// statements
	{"i = 1", "1:6: expected ';' after expression"},
	{"i = 1\nj = 2;", "1:6: expected ';' after expression"},
	{"i = 1 j;", "1:7: expected ';' after expression, found 'j'"},
	{"if i > 1) ;", "1:4: expected '(' after if, found 'i'"},
	{"else i = 1;", "1:1: 'else' without an 'if' before it"},
	{"if (i) else i = 1;", "1:8: expected a statement after the condition of if, found 'else'"},
	{"break;", "1:1: 'break' outside of a loop or switch"},
	{"continue;", "1:1: 'continue' outside of a loop"},
	{"case 1: ;", "1:1: 'case' outside of a switch"},
	{"default: ;", "1:1: 'default' outside of a switch"},
	{"switch (i) { case 1: case 1: ; }", "1:22: case value 1 is used twice"},
	{"switch (i) { case 1 ... 5: case 3: ; }", "1:28: case value 3 is used twice"},
	{"switch (i) { case 5 ... 1: ; }", "1:14: the case range 5 ... 1 is empty"},
	{"switch (i) { default: default: ; }", "1:23: 'default' is used twice in a switch"},
	{"switch (i) { case j: ; }", "1:19: a case value is not a constant"},
	{"switch (x) { }", "1:9: switch needs an integer, found 'float'"},
	{"goto there;", "1:6: label 'there' is not defined in this function"},
	{"here: ; here: ;", "1:9: label 'here' is defined twice"},
	{"{ goto out; out: }", "1:18: a label must precede a statement; put a ';' after it"},
	{"goto *p;", "1:6: computed goto is not supported"},
	{"do i++; while (i)\nj++;", "1:18: expected ';' after do-while"},
	{"do i++; until (i);", "1:9: expected 'while' after the body of do, found 'until'"},
	{"for (i = 0; i < 4) ;", "1:18: expected ';' after the condition of for, found ')'"},
	{"if (v) ;", "1:5: a condition must be a number or pointer, found 'float4' (use any() or all()"},
	{"while (s) ;", "1:8: a condition must be a number or pointer, found 'struct S'"},
	{"return 1;", "1:8: 'return' with a value in 'f', which returns void"},
	{"if (i) int z;", "1:8: expected a statement, found a declaration (put it in braces)"},
	{"asm(\"nop\");", "1:1: inline assembly is not supported"},
	// declarations
	{"int i2, i2;", "1:9: 'i2' is already declared as 'int i2'"},
	{"foo z;", "1:1: unknown type name 'foo'"},
	{"foo *z;", "1:1: undeclared identifier 'foo'"},
	{"void z;", "1:6: variable 'z' cannot have type 'void'"},
	{"struct T z;", "1:10: variable 'z' has type 'struct T', which is incomplete"},
	{"register int z;", "1:1: OpenCL C has no storage class 'register'"},
	{"auto int z;", "1:1: OpenCL C has no storage class 'auto'"},
	{"{ __local int z; }", "1:15: a __local variable must be declared in the outermost block of the kernel"},
	{"if (i) { __local int z; }", "1:22: a __local variable must be declared in the outermost block of the kernel"},
	{"image2d_t z;", "1:11: variable 'z' cannot have type 'image2d_t': only parameters can be images"},
	{"goto l; l: int z = 1;", "1:12: a label must precede a statement, not a declaration"},
	{"switch (i) { case 1: int z = 1; }", "1:22: a label must precede a statement, not a declaration"},
	{"switch (i) { default: float4 z; }", "1:23: a label must precede a statement, not a declaration"},
	{"int z[i];", "1:7: the length of an array is not a constant (variable length arrays are not supported)"},
	{"int z[-1];", "1:7: the length of an array is negative (-1)"},
	{"int z[2.5f];", "1:7: the length of an array must be an integer, found 'float'"},
	{"int z[];", "1:5: array 'z' needs a length or an initializer"},
	{"int z[2][];", "1:9: only the first dimension of an array may be left out"},
	{"int z[1 << 30][1 << 30];", "1:6: the array is too large"},
	{"int (*z)(int);", "1:6: pointers to functions are not supported"},
	{"int float z;", "1:5: 'float' does not combine with the type before it"},
	{"unsigned float z;", "1:10: 'float' does not combine with the type before it"},
	{"signed unsigned z;", "1:8: 'unsigned' does not combine with the type before it"},
	{"static int z;", "1:12: static variable 'z' must be __constant or const before OpenCL C 2.0 (-cl-std=CL2.0)"},
	{"__global int z;", "1:14: a variable of a function cannot be in __global"},
	{"__local int z = 1;", "1:17: a __local variable cannot have an initializer"},
	{"__global __local int *z;", "1:10: two address spaces: __global and __local"},
	{"__constant int z = i;", "1:20: the initializer of 'z' is not a constant"},
	{"int if = 3;", "1:5: expected a name to declare, found keyword 'if'"},
	{"int 3z;", "1:5: expected a name, found '3z'"},
	{"restrict int z;", "1:1: restrict needs a pointer, not 'int'"},
	{"enum E z;", "1:6: 'enum E' is not defined"},
	{"image2d_t z[2];", "1:12: arrays of 'image2d_t' are not allowed"},
	{"int z[2] = 5;", "1:12: an array must be initialized by a list in braces"},
	{"int z[2] = { 1, 2, 3 };", "1:20: too many values in the initializer of 'int [2]'"},
	{"int z = { 1, 2 };", "1:14: more than one value in the initializer of a 'int'"},
	{"int z[2] = { [2] = 1 };", "1:14: the designated index is outside of 'int [2]'"},
	{"struct S z = { .q = 1 };", "1:16: 'struct S' has no member 'q'"},
	{"int z = { .q = 1 };", "1:11: a designator needs an array, struct or union, not 'int'"},
	{"char z[2] = \"abc\";", "1:13: a string of 3 characters does not fit in 'char [2]'"},
	{"float4 z = { 1, 2, 3, 4, 5 };", "1:12: 5 components in the initializer of a 'float4'"},
	{"float4 z = { 1, 2 };", "1:12: 2 components in the initializer of a 'float4'"},
	{"struct S z = 1;", "1:14: cannot convert 'int' to 'struct S' in initialization"},
	{"int z = v;", "1:9: cannot convert 'float4' to 'int' in initialization (take one component"},
	// file scope
	{"int g;{}", "1:5: program-scope variable 'g' must be __constant or const before OpenCL C 2.0 (-cl-std=CL2.0)"},
	{"__global int g;{}", "1:14: program-scope variable 'g' cannot be in __global before OpenCL C 2.0 (-cl-std=CL2.0), only in __constant"},
	{"__constant int g;{}", "1:16: __constant variable 'g' needs an initializer"},
	{"}", "1:1: '}' without a '{' before it"},
	{"123;{}", "1:1: expected a declaration, found '123'"},
	{"foo();{}", "1:1: expected a type before 'foo'"},
	{"typedef int t; typedef float t;{}", "1:30: typedef 't' is redefined as 'float', it was 'int'"},
	{"typedef int uint;{}", "1:13: 'uint' is a reserved type and cannot be made 'int'"},
	{"struct a { int x; int x; };", "1:23: member 'x' is declared twice"},
	{"struct a { int x : 3; };", "1:16: bit-fields are not supported"},
	{"struct a { int x[]; int n; };", "1:16: member 'x': an array without a length must be the last of several members of a struct"},
	{"struct a { int x[0]; };", "1:16: member 'x': an array without a length must be the last of several members of a struct"},
	{"union a { int n; int x[]; };", "1:22: member 'x': an array without a length must be the last of several members of a struct"},
	{"struct T; struct a { int n; struct T x[]; };", "1:39: array of 'struct T', which is incomplete"},
	{"__constant struct a { int n; int x[]; } z = { 1, 2 };", "1:50: 'int [0]' has no member to initialize"},
	{"struct a { struct a x; };", "1:21: member 'x' has type 'struct a', which is incomplete"},
	{"struct a { int x; }; struct a { int y; };", "1:29: 'struct a' is defined twice"},
	{"struct a { int x; }; union a { int y; };", "1:28: 'a' is already the tag of 'struct a'"},
	{"struct a { int x = 1; };", "1:18: a member cannot have an initializer"},
	{"struct a { foo x; };", "1:12: unknown type name 'foo'"},
	{"enum { A, B, A };", "1:14: 'A' is already declared as an enum constant"},
	{"enum { };", "1:6: an enum needs at least one constant"},
	{"void f() { } void f() { }", "1:19: function 'f' is defined twice"},
	{"void f(int a); void f(float a) { }", "1:21: 'f' is redeclared with other parameters"},
	{"void f(int a); int f(int a) { }", "1:20: 'f' is redeclared with result 'int', it was 'void'"},
	{"int f[2]();{}", "1:6: arrays of functions are not allowed"},
	{"int f()[2];{}", "1:6: a function cannot return an array ('int [2]')"},
	{"int f()();{}", "1:6: a function cannot return a function"},
	{"void f(void a) { }", "1:8: a parameter cannot have type 'void'"},
	{"void f(int a, float a) { }", "1:21: 'a' is already declared as a parameter"},
	{"void f(__global int a) { }", "1:8: a parameter cannot be in __global"},
	{"void f(int global) { }", "1:8: a parameter cannot be in __global; only the target of a pointer can ('global' is a keyword, not a name)"},
	{"void f(int *kernel) { kernel[0] = 1; }", "1:13: expected a name to declare, found keyword 'kernel'"},
	{"void f(int if) { }", "1:12: expected a name to declare, found keyword 'if'"},
	{"void f(int g(int)) { }", "1:12: parameters of function type are not supported"},
	{"void f(int a, ...) { }", "1:6: variadic functions are not supported"},
	{"kernel int k() { return 1; }", "1:12: kernel 'k' must return void, not 'int'"},
	{"kernel void k(int *p) { }", "1:20: kernel parameter 'p' must point to __global, __constant or __local, not to __private"},
	{"kernel void k(global int *p, size_t n) { }", "1:37: kernel parameter 'n' must not be a size_t, whose size differs between devices; use uint or ulong"},
	{"kernel void k(global int *global *p) { }", "1:35: kernel parameter 'p' cannot point to pointers"},
	{"kernel __attribute__((reqd_work_group_size(1, 2))) void k() { }", "1:23: reqd_work_group_size takes 3 sizes, found 2"},
	{"kernel __attribute__((reqd_work_group_size(0, 1, 1))) void k() { }", "1:44: a work-group size must be from 1 to 2147483647, not 0"},
	{"void g(); void f() { g(); }", "1:22: function 'g' is called but has no body"},
	{"int f(int n) { return n ? f(n - 1) : 0; }", "1:27: recursion is not supported: 'f' calls itself"},
	{"int g(int); int f(int n) { return g(n); } int g(int n) { return f(n); }", "1:65: recursion is not supported: this call of 'f' closes a cycle"},
	{"int f() { return; }", "1:11: 'return' without a value in 'f', which returns 'int'"},
	{"int f() { return (float4)(1, 2, 3, 4); }", "1:18: cannot convert 'float4' to 'int' in return"},
	{"kernel __attribute__((reqd_work_group_size(99999999999, 1, 1))) void k() { }", "1:44: a work-group size must be from 1 to 2147483647, not 99999999999"},
	{"struct a { int x; } __attribute__((aligned(1 << 30)));", "1:36: an alignment must be a power of two up to 1048576, not 1073741824"},
	{"struct a { int x; } __attribute__((aligned(3)));", "1:36: an alignment must be a power of two up to 1048576, not 3"},
	{"float4(1, 2) {}", "1:8: expected a name"},
	{"struct a { int x; }\nvoid f() { }", "1:20: expected ';' after '}'"},
	{"struct a { int x; }\nuint f() { }", "1:20: expected ';' after '}'"},
	{"struct a { int x; }\nkernel void f() { }", "1:20: expected ';' after '}'"},
	{"struct a { int x; } int y;", "1:21: 'int' does not combine with the type before it"},
	{"enum { A }\nstruct a { int x; };", "1:11: expected ';' after '}'"},
	{"kernel __attribute__((vec_type_hint)) void k() { }", "1:23: vec_type_hint needs a type"},
	{"struct a { int x; }; kernel __attribute__((vec_type_hint(struct a))) void k() { }", "1:44: vec_type_hint needs a number or vector type, not 'struct a'"},
	{"__attribute__((reqd_work_group_size(1, 1, 1))) void g() { } {}", "1:16: attribute 'reqd_work_group_size' applies only to kernels, 'g' is not a kernel"},
	{"void f() { __local int a; }", "1:24: a __local variable must be declared in a kernel, 'f' is not a kernel"},
	{"static kernel void k() { } {}", "1:20: kernel 'k' cannot be static"},
	{"image2d_t f(image2d_t x) { return x; } {}", "1:12: a function cannot return an image"},
	{"void f(register int a) { }", "1:8: OpenCL C has no storage class 'register'"},
	{"int f(a, b) int a; float b; { return a; } {}", "1:7: definitions with only names in parentheses (K&R) are not supported"},
	{"int f(a, b); {}", "1:7: unknown type name 'a'"},
	{"__constant int *__constant p = p + 1; {}", "1:34: the initializer of 'p' is not a constant"},
	// names and calls
	{"i = k;", "1:5: undeclared identifier 'k'"},
	{"coutn = 1;", "1:1: undeclared identifier 'coutn' (did you mean 'count'?)"},
	{"foo(1);", "1:1: undeclared function 'foo'"},
	{"i = h;", "1:5: function 'h' can only be called"},
	{"h(1, 2);", "1:1: too many arguments to 'h': it takes 1, given 2"},
	{"h();", "1:1: too few arguments to 'h': it takes 1, given 0"},
	{"h(v);", "1:3: cannot convert 'float4' to 'int' in argument 1 of 'h'"},
	{"i(3);", "1:1: 'i' is a variable of type 'int', not a function"},
	{"3(3);", "1:1: only functions can be called, found 'int'"},
	{"sqrt();", "1:1: no overload of 'sqrt' takes (): too few arguments"},
	{"sqrt(s);", "1:1: no overload of 'sqrt' takes (struct S): it takes numbers and vectors"},
	{"h(1,);", "1:5: expected an argument after ','"},
	{"h(barrier(1));", "1:3: argument 1 has type 'void'"},
	{"over(p);", "1:1: no overload of 'over' takes (int *)"},
	// operators
	{"3 = i;", "1:1: cannot assign to this: a value of type 'int' is not an object"},
	{"i + 1 = 2;", "1:3: cannot assign to this: a value of type 'int' is not an object"},
	{"c = 2;", "1:1: cannot assign to this: it is const"},
	{"*cp = 2;", "1:1: cannot assign to this: it is const"},
	{"tab[0] = 2;", "1:4: cannot assign to this: it is in __constant"},
	{"a = a;", "1:1: cannot assign to this: it is an array ('int [4]')"},
	{"v.xx = v.xy;", "1:3: cannot assign to this: a component is repeated"},
	{"i = v;", "1:5: cannot convert 'float4' to 'int' in assignment (take one component, as .x or .s0)"},
	{"v = v + (int3)(1);", "1:7: invalid operands of '+': 'float4' and 'int3' (vectors of different length do not convert)"},
	{"v = (double4)(1);", "1:5: cannot convert 'double4' to 'float4' in assignment (use convert_float4)"},
	{"v = (short8)(1);", "1:5: cannot convert 'short8' to 'float4' in assignment (as_float4 keeps the bits)"},
	{"v = iv;", "1:5: cannot convert 'int4' to 'float4' in assignment (use convert_float4, or as_float4 for the bits)"},
	{"v = v + iv;", "1:7: invalid operands of '+': 'float4' and 'int4'"},
	{"iv = iv + 1L;", "1:9: invalid operands of '+': 'int4' and 'long' (the scalar does not fit"},
	{"iv = iv + 1u;", "1:9: invalid operands of '+': 'int4' and 'uint' (the scalar does not fit"},
	{"uchar4 z = 1; z += 1;", "1:17: invalid operands of '+': 'uchar4' and 'int' (the scalar does not fit"},
	{"iv = iv * x;", "1:9: invalid operands of '*': 'int4' and 'float' (the scalar does not fit"},
	{"x = x % 2;", "1:7: invalid operands of '%': 'float' and 'int' (it needs integers; fmod takes floats)"},
	{"x = x << 2;", "1:7: invalid operands of '<<': 'float' and 'int' (it needs integers)"},
	{"v = v & v;", "1:7: invalid operands of '&': 'float4' and 'float4' (it needs integers)"},
	{"i = 1 << iv;", "1:7: invalid operands of '<<': the scalar 'int' cannot be shifted by 'int4'"},
	{"i = ~x;", "1:5: '~' needs integers, found 'float'"},
	{"i = -s;", "1:5: '-' needs a number or vector, found 'struct S'"},
	{"i = s + 1;", "1:7: invalid operands of '+': 'struct S' and 'int'"},
	{"i = s == s;", "1:7: invalid operands of '==': 'struct S' and 'struct S'"},
	{"i = *i;", "1:5: '*' needs a pointer, found 'int'"},
	{"i = i[0];", "1:6: only pointers, arrays and vectors can be indexed, found 'int'"},
	{"i = p[x];", "1:7: an index must be an integer, found 'float'"},
	{"p = &3;", "1:5: cannot take the address of a value of type 'int' that is not an object"},
	{"x = *(&v.x);", "1:7: cannot take the address of a vector's components"},
	{"p = h;", "1:5: function 'h' can only be called"},
	{"p = gp;", "1:5: cannot convert '__global int *' to 'int *' in assignment (__global and __private are different address spaces)"},
	{"gp = (__global int *)p;", "1:6: cannot cast 'int *' to '__global int *' (__private and __global"},
	{"p = 5;", "1:5: cannot convert 'int' to 'int *' in assignment (an integer converts to a pointer only with a cast)"},
	{"i = p;", "1:5: cannot convert 'int *' to 'int' in assignment (a pointer converts to an integer only with a cast)"},
	{"__global int **q; int **r; r = q;", "1:32: cannot convert '__global int **' to 'int **' in assignment (the pointers they point to have different"},
	{"p = p + p;", "1:7: invalid operands of '+': 'int *' and 'int *'"},
	{"p += 1.5f;", "1:3: invalid operands of '+=': 'int *' and 'float'"},
	{"i = p - gp;", "1:7: invalid operands of '-': 'int *' and '__global int *' (they must point to the same type)"},
	{"i = p == gp;", "1:7: invalid operands of '==': 'int *' and '__global int *' (different address spaces)"},
	{"i = p == 3;", "1:7: invalid operands of '==': 'int *' and 'int' (cast one of them)"},
	{"i = *(void *)p;", "1:5: cannot read through a pointer to 'void'"},
	{"i++++;", "1:2: cannot increment this: a value of type 'int' is not an object"},
	{"s++;", "1:2: cannot increment a 'struct S'"},
	{"c--;", "1:1: cannot decrement this: it is const"},
	{"i = i ? s : 1;", "1:7: the results of '?:' have no common type: 'struct S' and 'int'"},
	{"v = iv ? v : dv;", "1:8: invalid operands of '?': 'float4' and 'double4'"},
	{"dv = iv ? dv : dv;", "1:9: a condition of type 'int4' does not fit results of type 'double4'"},
	{"v = v ? v : v;", "1:5: a vector condition must have integer components, found 'float4'"},
	{"i = i ? 2;", "1:10: expected ':' of a conditional expression"},
	{"i = s ?: 2;", "1:5: a condition must be a number or pointer, found 'struct S'"},
	{"i = h2() ?: 2;", "1:5: undeclared function 'h2'"},
	{"i = __builtin_clz(s);", "1:19: cannot convert 'struct S' to 'uint' in argument 1 of '__builtin_clz'"},
	{"i = __builtin_popcount();", "1:5: '__builtin_popcount' takes 1 argument, given 0"},
	{"i = __builtin_astype(v, struct S);", "1:5: '__builtin_astype' converts to scalars and vectors, not 'struct S'"},
	{"i = __builtin_astype(v, 4);", "1:25: expected a type, found '4'"},
	{"iv = __builtin_convertvector(v);", "1:31: expected ',' after the first operand, found ')'"},
	{"v = __builtin_shufflevector(v, v);", "1:5: '__builtin_shufflevector' takes two vectors and indices, given 2 arguments"},
	{"v = __builtin_shufflevector(v, iv, 0, 1, 2, 3);", "1:5: '__builtin_shufflevector' takes two vectors of one type, not (float4, int4)"},
	{"v = __builtin_shufflevector(v, v, 0, 1, 8, 3);", "1:41: an index of '__builtin_shufflevector' must be a constant from -1 to 7"},
	{"v = __builtin_shufflevector(v, v, 0, i, 8, 3);", "1:38: an index of '__builtin_shufflevector' must be a constant from -1 to 7"},
	{"v = __builtin_shufflevector(v, v, 0, 1, 2, 3, 4);", "1:5: '__builtin_shufflevector': there is no vector of 5 components"},
	{"_Static_assert(sizeof(int) == 8, \"int\" \" has 64 bits\");", "1:28: static assertion failed: int has 64 bits"},
	{"_Static_assert(0);", "1:16: static assertion failed"},
	{"_Static_assert(i, \"\");", "1:16: the condition of _Static_assert must be an integer constant"},
	{"_Static_assert(1, i);", "1:19: expected a string as the message of _Static_assert, found 'i'"},
	{"i += v;", "1:3: cannot convert 'float4' to 'int' in assignment"},
	{"i = (int)v;", "1:5: cannot cast 'float4' to 'int' (take one component"},
	{"v = (float4)iv;", "1:5: cannot cast 'int4' to 'float4' (use convert_float4"},
	{"v = (float4)(1, 2);", "1:5: 'float4' has 4 components, the literal gives 2"},
	{"v = (float4)(v, 1);", "1:5: 'float4' has 4 components, the literal gives 5"},
	{"v = (float4)(iv.xy, 1, 1);", "1:17: a 'int2' cannot be part of a 'float4' (convert it first)"},
	{"v = (float4)(p, 1, 1, 1);", "1:14: a 'int *' cannot be part of a 'float4'"},
	{"v = float4(1, 2, 3, 4);", "1:5: expected an expression, found type 'float4' (a vector is written (float4)(...))"},
	{"x = (float)p;", "1:5: cannot cast 'int *' to 'float'"},
	{"i = (int)s;", "1:5: cannot cast 'struct S' to 'int'"},
	{"i = (int)barrier(1);", "1:5: cannot cast 'void' to 'int'"},
	// members
	{"s.z = 1;", "1:3: 'struct S' has no member 'z'"},
	{"i = s.cuont;", "1:7: 'struct S' has no member 'cuont' (did you mean 'count'?)"},
	{"s->m = 1;", "1:4: '->m' needs a pointer, found 'struct S' (use '.m')"},
	{"i = ps.m;", "1:8: '.m' of a pointer 'struct S *' (use '->m')"},
	{"i = i.x;", "1:7: '.x' needs a struct, union or vector, found 'int'"},
	{"x = v.q;", "1:7: '.q' of 'float4': 'q' is not one of xyzw"},
	{"x = v.s4;", "1:7: '.s4' of 'float4': there is no component 4"},
	{"x = v.sg;", "1:7: '.sg' of 'float4': 'g' is not a hexadecimal digit"},
	{"x = v.xy.z;", "1:10: '.z' of 'float2': there is no component 'z'"},
	{"v = v.xyzwx;", "1:7: '.xyzwx' of 'float4': there is no vector of 5 components"},
	{"i = s.;", "1:7: expected a name of a member after '.', found ';'"},
	// sizeof, constants, strings
	{"i = sizeof(void);", "1:5: sizeof of 'void', which has no size"},
	{"i = sizeof(struct T);", "1:5: sizeof of 'struct T', which has no size"},
	{"i = sizeof(foo);", "1:12: undeclared identifier 'foo'"},
	{"i = __builtin_offsetof(struct S, q);", "1:34: 'struct S' has no member 'q'"},
	{"i = __builtin_offsetof(struct T, q);", "1:34: 'struct T' is incomplete here"},
	{"i = __builtin_offsetof(int, q);", "1:29: a designator needs an array, struct or union, not 'int'"},
	{"i = __builtin_offsetof(struct S, 3);", "1:34: expected a name of a member, found '3'"},
	{"i = 99999999999999999999;", "1:5: integer constant '99999999999999999999' is too large"},
	{"i = 12abc;", "1:5: '12abc' is not an integer constant"},
	{"i = 089;", "1:5: '089' is not an integer constant"},
	{"i = 12lul;", "1:5: unknown suffix 'lul' on an integer constant"},
	{"x = 1.2.3;", "1:5: '1.2.3' is not a floating constant"},
	{"i = 'é';", "1:5: a character constant holds characters of one byte, found 'é'"},
	{"i = L'a';", "1:5: wide character constants are not supported: L'a'"},
	{"i = '\\q';", "1:5: unknown escape sequence '\\q'"},
	{"i = {1};", "1:5: expected an expression, found '{'"},
	{"i = (1;", "1:7: expected ')', found ';'"},
	{"i = a[1;", "1:8: expected ']', found ';'"},
	{"i = && here;", "1:5: the address of a label is not supported"},
	{"i = 1 ? 2;", "1:10: expected ':' of a conditional expression, found ';'"},
	{"i = int;", "1:5: expected an expression, found keyword 'int'"},
	{"_Atomic int z;", "1:1: '_Atomic' is not supported"},
	// attributes that change a type
	{"float __attribute__((ext_vector_type(5))) z;", "1:22: there is no vector of 5 components of 'float'"},
	{"float __attribute__((vector_size(6))) z;", "1:22: a vector of 6 bytes does not hold a whole number of 'float'"},
	{"float __attribute__((vector_size(i))) z;", "1:34: the size of a vector is not a constant"},
	{"float4 __attribute__((ext_vector_type(2))) z;", "1:23: attribute 'ext_vector_type' needs an integer or floating type, not 'float4'"},
	{"float *z __attribute__((vector_size(16)));", "1:25: attribute 'vector_size' needs an integer or floating type, not 'float *'"},
	{"float z __attribute__((mode(SI)));", "1:24: mode 'SI' of 'float' is not supported"},
	{"int z __attribute__((__mode__(__TI__)));", "1:22: mode 'TI' of 'int' is not supported"},
	{"struct a { int x; } __attribute__((vector_size(16)));", "1:36: attribute 'vector_size' cannot apply to a struct or union"},
	{"enum __attribute__((mode(QI))) T { A1 };", "1:21: attribute 'mode' cannot apply to an enum"},
	{"int z __attribute__((address_space(1)));", "1:22: attribute 'address_space' is not supported"},
	{"int z __attribute__((cleanup(h)));", "1:22: attribute 'cleanup' is not supported"},
}

// inBody is the file whose #line directive is replaced by a body from broken.
const inBody = `__constant int tab[2] = { 1, 2 };
struct S { int m; int count; };
int h(int a) { return a; }
__attribute__((overloadable)) int over(int a) { return a; }
__attribute__((overloadable)) int over(float4 a) { return 1; }
__kernel void f(__global int *gp, float x, float4 v, int4 iv, double4 dv) {
int i, j, count, a[4], *p; const int c = 1, *cp; struct S s, *ps;
#line
}
`

func TestErrors(t *testing.T) {
	require.Greater(t, len(broken), 150)
	head, tail, _ := strings.Cut(inBody, "#line\n")
	for _, tc := range broken {
		src, skip := tc.src, 0
		if !strings.Contains(src, "{}") && !topLevel(src) {
			src, skip = head+src+"\n"+tail, strings.Count(head, "\n")
		}
		_, errs := program("in", strings.ReplaceAll(src, "{}", ""), check.Options{})
		require.NotZero(t, errs.Len(), "no error: %s", tc.src)
		e := errs.Errors()[0]
		e.Pos.Line -= skip
		got := strings.TrimPrefix(e.Error(), "in:")
		if !strings.HasPrefix(got, tc.want) {
			t.Errorf("%s\n got: %s\nwant: %s", tc.src, got, tc.want)
		}
	}
}

// topLevel reports whether src is a whole file rather than a function's body.
func topLevel(src string) bool {
	for _, prefix := range []string{"void f", "void g", "struct a", "struct s", "enum {", "kernel ", "int f", "int g", "float4(1, 2) "} {
		if strings.HasPrefix(src, prefix) {
			return true
		}
	}
	switch src {
	case "struct", "typedef", "__attribute__((", "int", "}":
		return true
	}
	return false
}

// TestSeveralErrors checks that parsing and checking continue after errors, and that
// notes refer to the other declarations involved.
func TestSeveralErrors(t *testing.T) {
	_, errs := program("in", `typedef struct { int x } item;
int f(int a { return a; }
kernel void k(global int *out) {
  int i = ;
  foo b;
  for (int i = 0; i < 4; i++ { out[i] = 1; }
  out[0] = undefined_name;
  out[1] = undefined_name;
  out[2] = sqrt(out;
  { float2 v = out; }
  return
}
int g(int n) { return h2(n, 1); }
int ok(int n) { return n.x; }
int even(int n);
int odd(int n) { return n ? even(n - 1) : 0; }
int even(int n) { return n ? odd(n - 1) : 1; }
`, check.Options{})
	require.Equal(t, `in:1:23: expected ';' after member
in:2:13: expected ')', found '{'
in:2:6: note: to match this '('
in:4:11: expected an expression, found ';'
in:5:3: unknown type name 'foo'
in:6:30: expected ')', found '{'
in:6:7: note: to match this '('
in:7:12: undeclared identifier 'undefined_name'
in:9:20: expected ')', found ';'
in:9:16: note: to match this '('
in:10:16: cannot convert '__global int *' to 'float2' in initialization
in:11:9: expected ';' after return
in:13:23: undeclared function 'h2'
in:14:26: '.x' needs a struct, union or vector, found 'int'
in:17:30: recursion is not supported: this call of 'odd' closes a cycle
in:16:29: note: 'odd' calls 'even' here`, errs.Error())
}
