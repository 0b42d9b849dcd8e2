    lwnp f1, (r1)+n2
