// Lanes that share elements of a table, and lanes that access rows of tiles, by parts of the local id.
//
// run: -k shared_elements -g 512 -l 64 b:float:512 b:float:2048:rand,31,-1,1 b:uchar:2048:rand,32,0,255
// sum: 0 28fb5c04f83aefa4
// run: -k rows -g 512 -l 64 b:int:8192 b:int:4096:rand,33,-1000,1000 int:40
// sum: 0 0c0a1aa3d63091f7
// run: -k selected_rows -g 512 -l 64 b:int:8192 b:int:4096:rand,34,-1000,1000 b:uchar:512:rand,35,0,255 int:40
// sum: 0 74e9b4207569682a
__kernel void shared_elements(__global float *out, __global const float *t, __global const uchar *bytes) {
	int l = get_local_id(0), g = get_group_id(0);
	float s = 0;
	for (int k = 0; k < 8; k++)
		s += t[k * 16 + l % 16] * t[g * 4 + (l & 3)] - t[k + l / 4] + t[l / 16 * 3 + 5] + bytes[k * 64 + (l >> 1) % 16];
	out[get_global_id(0)] = s;
}

__kernel void rows(__global int *out, __global const int *t, int n) {
	int l = get_local_id(0), g = get_group_id(0);
	__local int tile[64];
	tile[(l % 8) * 8 + l / 8] = t[(l / 8) * n + l % 8 + g];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int k = 0; k < 4; k++)
		out[g * 1024 + (l / 4) * n + k * 4 + l % 4] = tile[(l % 16) * 4 + k] + t[(l / 16) * n + (l & 7) + k];
}

__kernel void selected_rows(__global int *out, __global const int *t, __global const uchar *on, int n) {
	int l = get_local_id(0), g = get_group_id(0);
	if (on[get_global_id(0)] > 128)
		out[g * 1024 + (l / 4) * n + 3 - l % 4] = t[(l / 8) * n + l % 8] * t[g * 16 + l / 4] - t[l % 4];
}
