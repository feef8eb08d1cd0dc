// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

namespace sparkprof {

// A child of the test with its standard input and output on pipes. Killed and waited for at the end.
class ChildProcess {
 public:
  explicit ChildProcess(const std::vector<std::string>& command) {
    int input[2], output[2];
    if (pipe2(input, O_CLOEXEC) != 0 || pipe2(output, O_CLOEXEC) != 0) return;
    std::vector<char*> arguments;
    for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    pid_ = fork();
    if (pid_ == 0) {
      dup2(input[0], STDIN_FILENO);
      dup2(output[1], STDOUT_FILENO);
      execvp(arguments[0], arguments.data());
      _exit(127);
    }
    close(input[0]);
    close(output[1]);
    input_ = input[1];
    output_ = output[0];
  }
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess() {
    Kill();
    CloseInput();
    close(output_);
  }

  int64_t Pid() const { return pid_; }

  // The next line of its output, without its end; what there is when it ends.
  std::string ReadLine() {
    std::string line;
    for (char c; read(output_, &c, 1) == 1 && c != '\n';) line += c;
    return line;
  }

  int Input() const { return input_; }
  int Output() const { return output_; }

  void CloseInput() {
    if (input_ >= 0) close(input_);
    input_ = -1;
  }

  // Waits for its end: the exit code, or -1 after a signal.
  int Wait() {
    int status = 0;
    waitpid(std::exchange(pid_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  void Kill() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  pid_t pid_ = -1;
  int input_ = -1;
  int output_ = -1;
};

}  // namespace sparkprof
