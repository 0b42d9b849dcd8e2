    c.lt.ps cc6, f1, f2
