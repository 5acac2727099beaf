package asm

// Instructions of AVX2 that make or use masks in vectors. AVX-512 has other encodings of the
// same mnemonics, with mask registers, or none.

var vectorMaskForms = []form{
	{VPCMPEQBV, "vpcmpeqb", args{dV, nV, mV}, vx | p66 | m0F | e1 | 0x74},
	{VPCMPEQWV, "vpcmpeqw", args{dV, nV, mV}, vx | p66 | m0F | e2 | 0x75},
	{VPCMPEQDV, "vpcmpeqd", args{dV, nV, mV}, vx | p66 | m0F | e4 | 0x76},
	{VPCMPEQQV, "vpcmpeqq", args{dV, nV, mV}, vx | p66 | m0F38 | e8 | 0x29},
	{VPCMPGTBV, "vpcmpgtb", args{dV, nV, mV}, vx | p66 | m0F | e1 | 0x64},
	{VPCMPGTWV, "vpcmpgtw", args{dV, nV, mV}, vx | p66 | m0F | e2 | 0x65},
	{VPCMPGTDV, "vpcmpgtd", args{dV, nV, mV}, vx | p66 | m0F | e4 | 0x66},
	{VPCMPGTQV, "vpcmpgtq", args{dV, nV, mV}, vx | p66 | m0F38 | e8 | 0x37},
	{VPBLENDVB, "vpblendvb", args{dV, nV, mV, iV}, vx | e1 | p66 | m0F3A | 0x4C},
	{VPBLENDW, "vpblendw", args{dV, nV, mV, imm8}, vx | e2 | p66 | m0F3A | 0x0E},
	{VPBLENDD, "vpblendd", args{dV, nV, mV, imm8}, vx | e4 | p66 | m0F3A | 0x02},
	{VMOVMSKPS, "vmovmskps", args{dG32, rV}, vx | e4 | m0F | 0x50},
	{VMOVMSKPD, "vmovmskpd", args{dG32, rV}, vx | e8 | p66 | m0F | 0x50},
	{VPMOVMSKB, "vpmovmskb", args{dG32, rV}, vx | e1 | p66 | m0F | 0xD7},
	{VPTEST, "vptest", args{sV, mV}, vx | e8 | p66 | m0F38 | 0x17 | fw},
	{VPMASKMOVD, "vpmaskmovd", args{dV, nV, lMem}, vx | e4 | p66 | m0F38 | 0x8C},
	{VPMASKMOVD, "vpmaskmovd", args{oMem, nV, sV}, vx | e4 | p66 | m0F38 | 0x8E},
	{VPMASKMOVQ, "vpmaskmovq", args{dV, nV, lMem}, vx | e8 | p66 | m0F38 | w1 | 0x8C},
	{VPMASKMOVQ, "vpmaskmovq", args{oMem, nV, sV}, vx | e8 | p66 | m0F38 | w1 | 0x8E},
	{VPGATHERDDV, "vpgatherdd", args{bV, lVM, vV}, gatherV | e4 | 0x90},
	{VPGATHERDQV, "vpgatherdq", args{bV, lVMH, vV}, gatherV | w1 | e8 | 0x90},
	{VPGATHERQDV, "vpgatherqd", args{bH, lVM, vH}, gatherV | e4 | 0x91},
	{VPGATHERQQV, "vpgatherqq", args{bV, lVM, vV}, gatherV | w1 | e8 | 0x91},
	{VPERM2I128, "vperm2i128", args{dV, nV, mV, imm8}, vex | l256 | p66 | m0F3A | 0x46},
}

const gatherV = vx | p66 | m0F38 | tScalar | enc(EarlyClobber)<<propShift
