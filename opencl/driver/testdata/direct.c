// A program that loads the driver itself, and unloads it.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

int main(int argc, char **argv) {
	void *lib = dlopen(argv[argc - 1], RTLD_NOW | RTLD_LOCAL);
	if (!lib) {
		puts(dlerror());
		return 1;
	}
	int (*ids)(unsigned, void **, unsigned *) = (int (*)(unsigned, void **, unsigned *))dlsym(lib, "clGetPlatformIDs");
	int (*info)(void *, unsigned, size_t, void *, size_t *) = (int (*)(void *, unsigned, size_t, void *, size_t *))dlsym(lib, "clGetPlatformInfo");
	void *platform;
	char name[64];
	if (ids(1, &platform, 0) || info(platform, 0x0902, sizeof name, name, 0))
		return 1;
	puts(name);
	return dlclose(lib);
}
