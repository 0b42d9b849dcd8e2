/* Memory and texts of C programs. A block of memory has a power of two of bytes; one that is given back is kept for its size. */
#include "stdlib.h"
#include "string.h"
#include "unit.h"

/* In front of each block: its size, or the next one that is free. */
union head {
  struct { size_t size; union head *next; } of;
  char align[16];
};
enum { LEAST = 32, SIZES = 32, CHUNK = 1 << 20 };
static union head *blocks[SIZES];
static char *room, *room_end;

static int size_class(size_t bytes) {
  int k = 0;
  while (((size_t)LEAST << k) < bytes) k++;
  return k;
}

static void *from_room(size_t bytes) {
  if (bytes >= CHUNK) return allocate(bytes);
  if ((size_t)(room_end - room) < bytes) {
    room = allocate(CHUNK);
    room_end = room ? room + CHUNK : 0;
    if (!room) return 0;
  }
  void *place = room;
  room += bytes;
  return place;
}

void *malloc(size_t bytes) {
  if (bytes > (size_t)1 << 28) return 0;
  /* Large blocks are as long as they have to be, in pieces of allocate. */
  size_t all = bytes + sizeof(union head);
  int k = size_class(all);
  union head *head = blocks[k];
  if (head && head->of.size >= all) {
    blocks[k] = head->of.next;
  } else {
    size_t size = all >= CHUNK ? (all + 0xffff) & ~(size_t)0xffff : (size_t)LEAST << k;
    head = from_room(size);
    if (!head) return 0;
    head->of.size = size;
  }
  head->of.next = 0;
  return head + 1;
}

void *calloc(size_t count, size_t bytes) {
  if (bytes && count > ((size_t)1 << 28) / bytes) return 0;
  void *place = malloc(count * bytes);
  if (place) memset(place, 0, count * bytes);
  return place;
}

void free(void *place) {
  if (!place) return;
  union head *head = (union head *)place - 1;
  int k = size_class(head->of.size);
  head->of.next = blocks[k];
  blocks[k] = head;
}

void abort(void) { exit(134); }

int abs(int value) { return value < 0 ? -value : value; }
long labs(long value) { return value < 0 ? -value : value; }

int atoi(const char *text) {
  int value = 0, is_negative = *text == '-';
  for (text += is_negative || *text == '+'; *text >= '0' && *text <= '9'; text++) value = 10 * value + (*text - '0');
  return is_negative ? -value : value;
}

size_t strlen(const char *text) {
  size_t count = 0;
  while (text[count]) count++;
  return count;
}

int strcmp(const char *a, const char *b) {
  for (; *a && *a == *b; a++, b++) {}
  return (unsigned char)*a - (unsigned char)*b;
}

char *strcpy(char *to, const char *from) {
  memcpy(to, from, strlen(from) + 1);
  return to;
}
