        seti a3, 16
        | lwo f1, (r3)+1
        stopi 0
