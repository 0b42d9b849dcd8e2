/* Runs a program of Lua: `lua FILE [ARGUMENT]`, which the program has as `argument`. */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdio.h>

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  lua_State *state = luaL_newstate();
  luaL_openlibs(state);
  lua_pushstring(state, argc > 2 ? argv[2] : "");
  lua_setglobal(state, "argument");
  if (luaL_dofile(state, argv[1])) {
    fprintf(stderr, "%s\n", lua_tostring(state, -1));
    return 1;
  }
  lua_close(state);
  return 0;
}
