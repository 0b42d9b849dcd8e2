    caddsub f1, f2, f3, f4
