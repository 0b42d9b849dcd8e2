    c.lt.ps cc7, f1, f2
