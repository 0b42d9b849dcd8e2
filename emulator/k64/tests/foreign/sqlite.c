/* Inserts rows by statements, groups and joins them, in memory and in a file that is removed again, then with a log that two
   connections share in memory: `sqlite ROWS`. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

static int print(void *unused, int n, char **values, char **names) {
  for (int i = 0; i < n; i++) printf("%s%s", values[i], i + 1 < n ? " " : "\n");
  return 0;
}

static void run(sqlite3 *base, const char *text) {
  char *error = 0;
  if (sqlite3_exec(base, text, print, 0, &error)) printf("error: %s\n", error);
  sqlite3_free(error);
}

static int work(const char *name, int rows) {
  sqlite3 *base;
  char text[200];
  if (sqlite3_open(name, &base)) return 1;
  run(base, "create table rows(a integer primary key, b int, c text); create index by_b on rows(b); begin");
  for (int i = 0; i < rows; i++) {
    snprintf(text, sizeof text, "insert into rows values(%d, %d, 'text %d')", i, i * 7919 % 1000, i * 31);
    run(base, text);
  }
  run(base, "commit");
  run(base, "select b % 10, count(*), sum(a), avg(b), max(c) from rows group by b % 10 order by 2 desc, 1");
  run(base, "select count(*) from rows x join rows y on x.b = y.b where x.a < 2000");
  run(base, "update rows set c = upper(c) where a % 3 = 0; delete from rows where b < 100");
  run(base, "select count(*), min(c), max(c), total(a) / 7 from rows where c like 'TEXT 1%'");
  run(base, "pragma integrity_check");
  return sqlite3_close(base);
}

static int common(const char *name, int rows) {
  sqlite3 *writer, *reader;
  char text[200];
  if (sqlite3_open(name, &writer) || sqlite3_open(name, &reader)) return 1;
  run(writer, "pragma journal_mode = wal; create table log(a int, b text)");
  run(reader, "pragma mmap_size = 1000000; select count(*) from log");
  for (int i = 0; i < rows; i += 10) {
    snprintf(text, sizeof text, "begin; insert into log values(%d, hex(%d)); insert into log select a + 1, b from log where a = %d", i, i, i - 7);
    run(writer, text);
    if (i % 100 == 0) run(reader, "select count(*), sum(a), max(b) from log");
    run(writer, "commit");
    if (i % 100 == 0) run(reader, "select count(*), sum(a), max(b) from log");
  }
  run(writer, "pragma wal_checkpoint(truncate); pragma integrity_check");
  run(reader, "select count(*), sum(a), max(b) from log");
  return sqlite3_close(reader) || sqlite3_close(writer);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  int rows = atoi(argv[1]);
  remove("rows.db");
  int failed = work(":memory:", rows) || work("rows.db", rows / 4);
  remove("rows.db");
  /* Mostly the time of the disk, so not where speed is measured. */
  if (rows < 10000) failed = failed || common("rows.db", 300);
  remove("rows.db");
  return failed;
}
