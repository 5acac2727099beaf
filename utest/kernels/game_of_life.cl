// One generation on a torus of bytes: nine byte loads with wrap-around subscripts.
// run: -k game_of_life -g 40,25 b:uchar:1000:rand,218,0,1 b:uchar:1000
// sum: 0 d304d77771227866
// sum: 1 fa83112c49de8d62
// run: -k game_of_life -g 7,3 b:uchar:21:rand,218,0,1 b:uchar:21
// sum: 0 dd36393d71554ae8
// sum: 1 a63e6b6d9ffe1f72
// bench: -k game_of_life -g 1024,1024 b:uchar:1024*1024:rand,218,0,1 b:uchar:1024*1024
// sum: 0 68a79744618b10b8
// sum: 1 af520699f4a2b8ba
__kernel void game_of_life(__global const uchar *now, __global uchar *next) {
  int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1);
  int alive = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
      if (dx != 0 || dy != 0)
        alive += now[(y + dy + h) % h * w + (x + dx + w) % w];
  uchar self = now[y * w + x];
  if (alive == 3)
    self = 1;
  else if (alive != 2)
    self = 0;
  next[y * w + x] = self;
}
