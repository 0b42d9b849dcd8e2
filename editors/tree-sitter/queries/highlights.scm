; Kinds of words, as editors colour them. What an operation means is the language server's to say.
(comment) @comment
(string) @string
(number) @number
(here) @constant.builtin

(directive_name) @keyword
(predicate "if" @keyword)
(annotation "@" @attribute name: (identifier) @attribute)
(allowed code: (identifier) @constant)
(extension) @constant

(operation name: (identifier) @function)
(operation name: (dotted) @function)
(operation name: (pasted) @function.macro)

(label name: (_) @label)
(kernel name: (_) @function.definition)
(macro name: (identifier) @function.macro)
(constant name: (_) @constant)
(setting key: (identifier) @property)
(call function: (_) @function.builtin)

(register) @variable.builtin
(computed_register) @variable.builtin
(virtual_register) @variable
(pasted) @variable.parameter
(binary operator: _ @operator)
["|" ":" ","] @punctuation.delimiter
["(" ")" "{" "}"] @punctuation.bracket
