;;; Opens a file in an Emacs with eglot and nanlint, in the words of the guide, and tells what a user would see.  -*- lexical-binding: t -*-
(require 'cl-lib)
(require 'eglot)
(require 'json)

(defvar told nil)

(defun finish (code)
  (with-temp-file (getenv "NANLINT_OUT") (insert (json-encode told)))
  (kill-emacs code))

(defun wait (condition what)
  (let ((until (+ (float-time) 60)))
    (while (not (funcall condition))
      (when (> (float-time) until)
        (push (cons 'failure what) told)
        (finish 1))
      (accept-process-output nil 0.05))))

(setq eglot-sync-connect 60
      eglot-send-changes-idle-time 0
      eglot-confirm-server-initiated-edits nil
      flymake-no-changes-timeout nil)
(load (getenv "NANLINT_CONFIGURATION") nil t t)
(find-file (getenv "NANLINT_FILE"))
(unless (derived-mode-p 'python-mode) (python-mode))
(unless (eglot-managed-p) (apply #'eglot (eglot--guess-contact))) ; what eglot-ensure does once a command has ended
(flymake-mode 1)
(wait (lambda () (flymake-start) (flymake-diagnostics)) "no diagnostic appeared")
(let ((diagnostic (car (flymake-diagnostics))))
  (push (cons 'message (flymake-diagnostic-text diagnostic)) told)
  (push (cons 'flagged (buffer-substring-no-properties
                        (flymake-diagnostic-beg diagnostic) (flymake-diagnostic-end diagnostic)))
        told)
  (cl-letf ((last-nonmenu-event ?m) ; a key, no click: the menu is read, not drawn
            ((symbol-function 'completing-read)
             (lambda (_prompt menu &rest _)
               (push (cons 'offered (vconcat (mapcar (lambda (item) (if (consp item) (car item) item)) menu))) told)
               (cl-loop for item in menu
                        for title = (if (consp item) (car item) item)
                        when (string-search (getenv "NANLINT_ACTION") title) return title))))
    (eglot-code-actions (flymake-diagnostic-beg diagnostic) (flymake-diagnostic-end diagnostic) nil t)))
(wait (lambda () (eglot--signal-textDocument/didChange) (flymake-start) (null (flymake-diagnostics)))
      "the action changed nothing")
(push (cons 'after (buffer-substring-no-properties (point-min) (point-max))) told)
(finish 0)
