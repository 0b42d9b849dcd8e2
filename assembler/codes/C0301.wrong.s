    camdd f1, f2, f3
