package asm

// Float arithmetic, compares, and the AVX-512 instructions on exponents,
// mantissas and classes.

var floatForms = concat(
	float4([4]Op{VADDPS, VADDPD, VADDSS, VADDSD}, "vadd", 0x58, er),
	float4([4]Op{VMULPS, VMULPD, VMULSS, VMULSD}, "vmul", 0x59, er),
	float4([4]Op{VSUBPS, VSUBPD, VSUBSS, VSUBSD}, "vsub", 0x5C, er),
	float4([4]Op{VMINPS, VMINPD, VMINSS, VMINSD}, "vmin", 0x5D, sae),
	float4([4]Op{VDIVPS, VDIVPD, VDIVSS, VDIVSD}, "vdiv", 0x5E, er),
	float4([4]Op{VMAXPS, VMAXPD, VMAXSS, VMAXSD}, "vmax", 0x5F, sae),
	[]form{
		{VSQRTPS, "vsqrtps", args{dV, mV}, evD | m0F | 0x51 | er | vx0},
		{VSQRTPD, "vsqrtpd", args{dV, mV}, evQ | p66 | m0F | 0x51 | er | vx0},
		{VSQRTSS, "vsqrtss", args{dX, nX, mX}, evSS | pF3 | m0F | 0x51 | er | vx0},
		{VSQRTSD, "vsqrtsd", args{dX, nX, mX}, evSD | pF2 | m0F | 0x51 | er | vx0},
		{VANDPS, "vandps", args{dV, nV, mV}, evD | m0F | 0x54 | vx0},
		{VANDPD, "vandpd", args{dV, nV, mV}, evQ | p66 | m0F | 0x54 | vx0},
		{VANDNPS, "vandnps", args{dV, nV, mV}, evD | m0F | 0x55 | vx0},
		{VANDNPD, "vandnpd", args{dV, nV, mV}, evQ | p66 | m0F | 0x55 | vx0},
		{VORPS, "vorps", args{dV, nV, mV}, evD | m0F | 0x56 | vx0},
		{VORPD, "vorpd", args{dV, nV, mV}, evQ | p66 | m0F | 0x56 | vx0},
		{VXORPS, "vxorps", args{dV, nV, mV}, evD | m0F | 0x57 | vx0},
		{VXORPD, "vxorpd", args{dV, nV, mV}, evQ | p66 | m0F | 0x57 | vx0},

		{VCMPPS, "vcmpps", args{dK, nV, mV, imm8}, cmpD&^p66 | m0F | 0xC2 | sae},
		{VCMPPD, "vcmppd", args{dK, nV, mV, imm8}, cmpQ | m0F | 0xC2 | sae},
		{VCMPSS, "vcmpss", args{dK, nX, mX, imm8}, evSS&^mkZero | mkMerge | pF3 | m0F | 0xC2 | sae},
		{VCMPSD, "vcmpsd", args{dK, nX, mX, imm8}, evSD&^mkZero | mkMerge | pF2 | m0F | 0xC2 | sae},
		{VCMPPSV, "vcmpps", args{dV, nV, mV, imm8}, vx | e4 | m0F | 0xC2},
		{VCMPPDV, "vcmppd", args{dV, nV, mV, imm8}, vx | e8 | p66 | m0F | 0xC2},
		{VCMPSSV, "vcmpss", args{dX, nX, mX, imm8}, vexSS | pF3 | m0F | 0xC2},
		{VCMPSDV, "vcmpsd", args{dX, nX, mX, imm8}, vexSD | pF2 | m0F | 0xC2},
		{VBLENDVPS, "vblendvps", args{dV, nV, mV, iV}, vx | e4 | p66 | m0F3A | 0x4A},
		{VBLENDVPD, "vblendvpd", args{dV, nV, mV, iV}, vx | e8 | p66 | m0F3A | 0x4B},
		{VUCOMISS, "vucomiss", args{sX, mX}, evSS&^mkZero | m0F | 0x2E | sae | vx0 | fw},
		{VUCOMISD, "vucomisd", args{sX, mX}, evSD&^mkZero | p66 | m0F | 0x2E | sae | vx0 | fw},
		{VCOMISS, "vcomiss", args{sX, mX}, evSS&^mkZero | m0F | 0x2F | sae | vx0 | fw},
		{VCOMISD, "vcomisd", args{sX, mX}, evSD&^mkZero | p66 | m0F | 0x2F | sae | vx0 | fw},
	},
	fma([3][4]Op{{VFMADD132PS, VFMADD132PD, VFMADD132SS, VFMADD132SD},
		{VFMADD213PS, VFMADD213PD, VFMADD213SS, VFMADD213SD},
		{VFMADD231PS, VFMADD231PD, VFMADD231SS, VFMADD231SD}}, "vfmadd", 0x98),
	fma([3][4]Op{{VFMSUB132PS, VFMSUB132PD, VFMSUB132SS, VFMSUB132SD},
		{VFMSUB213PS, VFMSUB213PD, VFMSUB213SS, VFMSUB213SD},
		{VFMSUB231PS, VFMSUB231PD, VFMSUB231SS, VFMSUB231SD}}, "vfmsub", 0x9A),
	fma([3][4]Op{{VFNMADD132PS, VFNMADD132PD, VFNMADD132SS, VFNMADD132SD},
		{VFNMADD213PS, VFNMADD213PD, VFNMADD213SS, VFNMADD213SD},
		{VFNMADD231PS, VFNMADD231PD, VFNMADD231SS, VFNMADD231SD}}, "vfnmadd", 0x9C),
	fma([3][4]Op{{VFNMSUB132PS, VFNMSUB132PD, VFNMSUB132SS, VFNMSUB132SD},
		{VFNMSUB213PS, VFNMSUB213PD, VFNMSUB213SS, VFNMSUB213SD},
		{VFNMSUB231PS, VFNMSUB231PD, VFNMSUB231SS, VFNMSUB231SD}}, "vfnmsub", 0x9E),
	fma([3][4]Op{{VFMADDSUB132PS, VFMADDSUB132PD}, {VFMADDSUB213PS, VFMADDSUB213PD},
		{VFMADDSUB231PS, VFMADDSUB231PD}}, "vfmaddsub", 0x96),
	fma([3][4]Op{{VFMSUBADD132PS, VFMSUBADD132PD}, {VFMSUBADD213PS, VFMSUBADD213PD},
		{VFMSUBADD231PS, VFMSUBADD231PD}}, "vfmsubadd", 0x97),
	[]form{
		{VROUNDPS, "vroundps", args{dV, mV, imm8}, vx | e4 | p66 | m0F3A | 0x08},
		{VROUNDPD, "vroundpd", args{dV, mV, imm8}, vx | e8 | p66 | m0F3A | 0x09},
		{VROUNDSS, "vroundss", args{dX, nX, mX, imm8}, vexSS | p66 | m0F3A | 0x0A},
		{VROUNDSD, "vroundsd", args{dX, nX, mX, imm8}, vexSD | p66 | m0F3A | 0x0B},
		{VRNDSCALEPS, "vrndscaleps", args{dV, mV, imm8}, evD | p66 | m0F3A | 0x08 | sae},
		{VRNDSCALEPD, "vrndscalepd", args{dV, mV, imm8}, evQ | p66 | m0F3A | 0x09 | sae},
		{VRNDSCALESS, "vrndscaless", args{dX, nX, mX, imm8}, evSS | p66 | m0F3A | 0x0A | sae},
		{VRNDSCALESD, "vrndscalesd", args{dX, nX, mX, imm8}, evSD | p66 | m0F3A | 0x0B | sae},
		{VGETEXPPS, "vgetexpps", args{dV, mV}, evD | p66 | m0F38 | 0x42 | sae},
		{VGETEXPPD, "vgetexppd", args{dV, mV}, evQ | p66 | m0F38 | 0x42 | sae},
		{VGETEXPSS, "vgetexpss", args{dX, nX, mX}, evSS | p66 | m0F38 | 0x43 | sae},
		{VGETEXPSD, "vgetexpsd", args{dX, nX, mX}, evSD | p66 | m0F38 | 0x43 | sae},
		{VGETMANTPS, "vgetmantps", args{dV, mV, imm8}, evD | p66 | m0F3A | 0x26 | sae},
		{VGETMANTPD, "vgetmantpd", args{dV, mV, imm8}, evQ | p66 | m0F3A | 0x26 | sae},
		{VGETMANTSS, "vgetmantss", args{dX, nX, mX, imm8}, evSS | p66 | m0F3A | 0x27 | sae},
		{VGETMANTSD, "vgetmantsd", args{dX, nX, mX, imm8}, evSD | p66 | m0F3A | 0x27 | sae},
		{VSCALEFPS, "vscalefps", args{dV, nV, mV}, evD | p66 | m0F38 | 0x2C | er},
		{VSCALEFPD, "vscalefpd", args{dV, nV, mV}, evQ | p66 | m0F38 | 0x2C | er},
		{VSCALEFSS, "vscalefss", args{dX, nX, mX}, evSS | p66 | m0F38 | 0x2D | er},
		{VSCALEFSD, "vscalefsd", args{dX, nX, mX}, evSD | p66 | m0F38 | 0x2D | er},
		{VREDUCEPS, "vreduceps", args{dV, mV, imm8}, evD | p66 | m0F3A | 0x56 | sae},
		{VREDUCEPD, "vreducepd", args{dV, mV, imm8}, evQ | p66 | m0F3A | 0x56 | sae},
		{VREDUCESS, "vreducess", args{dX, nX, mX, imm8}, evSS | p66 | m0F3A | 0x57 | sae},
		{VREDUCESD, "vreducesd", args{dX, nX, mX, imm8}, evSD | p66 | m0F3A | 0x57 | sae},
		{VRANGEPS, "vrangeps", args{dV, nV, mV, imm8}, evD | p66 | m0F3A | 0x50 | sae},
		{VRANGEPD, "vrangepd", args{dV, nV, mV, imm8}, evQ | p66 | m0F3A | 0x50 | sae},
		{VRANGESS, "vrangess", args{dX, nX, mX, imm8}, evSS | p66 | m0F3A | 0x51 | sae},
		{VRANGESD, "vrangesd", args{dX, nX, mX, imm8}, evSD | p66 | m0F3A | 0x51 | sae},
		{VFIXUPIMMPS, "vfixupimmps", args{bV, nV, mV, imm8}, evD | p66 | m0F3A | 0x54 | sae},
		{VFIXUPIMMPD, "vfixupimmpd", args{bV, nV, mV, imm8}, evQ | p66 | m0F3A | 0x54 | sae},
		{VFIXUPIMMSS, "vfixupimmss", args{bX, nX, mX, imm8}, evSS | p66 | m0F3A | 0x55 | sae},
		{VFIXUPIMMSD, "vfixupimmsd", args{bX, nX, mX, imm8}, evSD | p66 | m0F3A | 0x55 | sae},
		{VFPCLASSPS, "vfpclassps", args{dK, mV, imm8}, cmpD | m0F3A | 0x66},
		{VFPCLASSPD, "vfpclasspd", args{dK, mV, imm8}, cmpQ | m0F3A | 0x66},
		{VFPCLASSSS, "vfpclassss", args{dK, mX, imm8}, evSS&^mkZero | mkMerge | p66 | m0F3A | 0x67},
		{VFPCLASSSD, "vfpclasssd", args{dK, mX, imm8}, evSD&^mkZero | mkMerge | p66 | m0F3A | 0x67},
		{VRCP14PS, "vrcp14ps", args{dV, mV}, evD | p66 | m0F38 | 0x4C},
		{VRCP14PD, "vrcp14pd", args{dV, mV}, evQ | p66 | m0F38 | 0x4C},
		{VRCP14SS, "vrcp14ss", args{dX, nX, mX}, evSS | p66 | m0F38 | 0x4D},
		{VRCP14SD, "vrcp14sd", args{dX, nX, mX}, evSD | p66 | m0F38 | 0x4D},
		{VRSQRT14PS, "vrsqrt14ps", args{dV, mV}, evD | p66 | m0F38 | 0x4E},
		{VRSQRT14PD, "vrsqrt14pd", args{dV, mV}, evQ | p66 | m0F38 | 0x4E},
		{VRSQRT14SS, "vrsqrt14ss", args{dX, nX, mX}, evSS | p66 | m0F38 | 0x4F},
		{VRSQRT14SD, "vrsqrt14sd", args{dX, nX, mX}, evSD | p66 | m0F38 | 0x4F},
	},
)

// float4 returns the ps, pd, ss and sd forms of a two-operand float op.
func float4(ops [4]Op, name string, opcode, round enc) []form {
	opcode |= m0F | round | vx0
	return []form{
		{ops[0], name + "ps", args{dV, nV, mV}, evD | opcode},
		{ops[1], name + "pd", args{dV, nV, mV}, evQ | p66 | opcode},
		{ops[2], name + "ss", args{dX, nX, mX}, evSS | pF3 | opcode},
		{ops[3], name + "sd", args{dX, nX, mX}, evSD | pF2 | opcode},
	}
}

// fma returns the 132, 213 and 231 forms (opcodes 0x10 apart) of a fused op,
// of ps, pd, ss and sd; the scalar ones, where they exist, are one above.
func fma(ops [3][4]Op, name string, opcode enc) []form {
	var rows []form
	for i, order := range [3]string{"132", "213", "231"} {
		e := p66 | m0F38 | (opcode + enc(i)*0x10) | er
		rows = append(rows,
			form{ops[i][0], name + order + "ps", args{bV, nV, mV}, evD | e | vx0},
			form{ops[i][1], name + order + "pd", args{bV, nV, mV}, evQ | e | vx1})
		if ops[i][2] != INVALID {
			rows = append(rows,
				form{ops[i][2], name + order + "ss", args{bX, nX, mX}, evSS | (e + 1) | vx0},
				form{ops[i][3], name + order + "sd", args{bX, nX, mX}, evSD | (e + 1) | vx1})
		}
	}
	return rows
}
