;;; emacs.el --- The debugger in Emacs with dap-mode, without a window  -*- lexical-binding: t -*-
;; `emacs --batch -q -l emacs.el`; `CP2` names the program, `EXAMPLE` a kernel whose line 14 is in a loop.

(require 'package)
(package-initialize)
(require 'dap-mode)

(setq dap-auto-configure-features nil
      dap-breakpoints-file (make-temp-file "cp2-breakpoints")
      lsp-session-file (make-temp-name (expand-file-name "cp2-session" temporary-file-directory))
      dap-print-io nil)
(define-derived-mode cp2-mode prog-mode "CP2")
(defvar cp2-stops nil "Sessions that have stopped and were not looked at yet.")
(advice-add 'dap--on-event :after
            (lambda (session event)
              (when (equal (gethash "event" event) "stopped") (push session cp2-stops))))

(defun cp2-await (what done)
  "Wait until DONE returns a value, and return it; WHAT is waited for."
  (let ((end (+ (float-time) 120)) value)
    (while (not (or (setq value (funcall done)) (> (float-time) end)))
      (accept-process-output nil 0.05))
    (or value (error "%s did not come" what))))

(defun cp2-stop ()
  "Return the session that stops next."
  (prog1 (cp2-await "a stop" (lambda () (car cp2-stops)))
    (setq cp2-stops nil)))

(defun cp2-ask (session command &optional arguments)
  "Return the answer of SESSION to COMMAND with ARGUMENTS."
  (let (answer)
    (dap--send-message (dap--make-request command arguments)
                       (lambda (told) (setq answer told)) session)
    (cp2-await command (lambda () answer))))

(defun cp2-line (session)
  "Return the line of the innermost frame of SESSION."
  (let ((answer (cp2-ask session "stackTrace" '(:threadId 1))))
    (gethash "line" (elt (gethash "stackFrames" (gethash "body" answer)) 0))))

(with-current-buffer (find-file-noselect (getenv "EXAMPLE"))
  (cp2-mode)
  (goto-char (point-min))
  (forward-line 13)
  (dap-breakpoint-add)
  (dap-start-debugging (list :type "cp2" :request "launch" :name "cp2"
                             :program (buffer-file-name) :stopOnEntry t
                             :dap-server-path (list (getenv "CP2") "debug" "--dap"))))
(let ((session (cp2-stop)))
  (dap-continue session 1)
  (setq session (cp2-stop))
  (cl-assert (= (cp2-line session) 14))
  (dap-next session)
  (setq session (cp2-stop))
  (cp2-ask session "stepBack" '(:threadId 1))
  (setq session (cp2-stop))
  (cl-assert (= (cp2-line session) 14))
  (let* ((answer (cp2-ask session "scopes" '(:frameId 1)))
         (scope (elt (gethash "scopes" (gethash "body" answer)) 0))
         (reference (gethash "variablesReference" scope))
         (found (cp2-ask session "variables" (list :variablesReference reference))))
    (cl-assert (equal (gethash "name" (elt (gethash "variables" (gethash "body" found)) 0)) "f0")))
  (cp2-ask session "setDataBreakpoints" '(:breakpoints [(:dataId "f1.s1")]))
  (cp2-ask session "reverseContinue" '(:threadId 1))
  (setq session (cp2-stop))
  (dap-disconnect session)
  (cp2-await "the end" (lambda () (not (process-live-p (dap--debug-session-proc session))))))
(message "Emacs has debugged a kernel")
