// SPDX-License-Identifier: Apache-2.0
#include "launch/remote_attach.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/escaped_text.h"
#include "base/text/text.h"
#include "launch/submit_command.h"

namespace sparkprof {
namespace {

constexpr std::string_view kHost = "{host}", kCommand = "{command}";

std::vector<std::string> Kubectl(const PodOptions& options, std::vector<std::string> words) {
  std::vector<std::string> command{"kubectl"};
  if (!options.space.empty()) command.insert(command.end(), {"--namespace", options.space});
  command.insert(command.end(), words.begin(), words.end());
  return command;
}

// Spark's default container name, unless a pod template sets another one.
std::string ContainerOf(const std::string& pod, const PodOptions& options) {
  if (!options.container.empty()) return options.container;
  return pod.ends_with("-driver") ? "spark-kubernetes-driver" : "spark-kubernetes-executor";
}

// A POSIX shell script that runs at the target.
std::vector<std::string> Script(const AttachTarget& target, const std::string& script) {
  std::vector<std::string> command = target.prefix;
  if (target.joins_words) {
    command.push_back("sh -c " + ShellWord(script));
  } else {
    command.insert(command.end(), {"sh", "-c", script});
  }
  return command;
}

// Quotes a word but leaves $POD and $IMAGE to the shell.
std::string QuoteForShell(std::string_view word) {
  if (word.empty()) return ShellWord(word);
  std::string quoted;
  while (!word.empty()) {
    const std::string_view variable = word.starts_with("$POD") ? "$POD" : word.starts_with("$IMAGE") ? "$IMAGE" : "";
    if (!variable.empty()) {
      quoted += fmt::format("\"{}\"", variable);
      word.remove_prefix(variable.size());
      continue;
    }
    const std::string_view text = word.substr(0, std::min(word.find("$POD", 1), word.find("$IMAGE", 1)));
    quoted += ShellWord(text);
    word.remove_prefix(text.size());
  }
  return quoted;
}

void Replace(const std::string& name, const std::string& value, std::string* text) {
  for (size_t at = text->find(name); at != std::string::npos; at = text->find(name, at + value.size())) {
    text->replace(at, name.size(), value);
  }
}

}  // namespace

std::vector<RemoteStep> AttachSteps(const AttachTarget& target, const RemoteAttachOptions& options) {
  const std::string& folder = options.folder;
  std::vector<std::string> attach{
      folder + "/bin/sparkprof", "attach", "--all-spark", "--format", "jfr", "--output-dir", folder + "/out"};
  if (!target.application.empty()) attach.insert(attach.end(), {"--app", target.application});
  if (!target.executor.empty()) attach.insert(attach.end(), {"--executor", target.executor});
  attach.insert(attach.end(), options.attach_words.begin(), options.attach_words.end());
  std::vector<std::string> words;
  for (const std::string& word : attach) words.push_back(ShellWord(word));
  // Concatenated recordings of several JVMs form a recording.
  return {
      {.command =
           Script(target, fmt::format("umask 077; mkdir -p {0}/bin {0}/lib && cat > {0}/bin/sparkprof && chmod 700 "
                                      "{0}/bin/sparkprof",
                                      folder)),
       .input = options.program},
      {.command = Script(target, fmt::format("cat > {}/lib/sparkprof-spark.jar", folder)), .input = options.jar},
      {.command = Script(target, fmt::format("{}", fmt::join(words, " ")))},
      {.command = Script(target, fmt::format("cat {}/out/*.jfr", folder)),
       .output = fmt::format("{}/{}.jfr", options.output_dir, target.name)},
      {.command = Script(target, fmt::format("rm -rf {}", folder))},
  };
}

RemoteStep ProbeStep(const AttachTarget& target) { return {.command = Script(target, "exit 0")}; }

AttachTarget ExecTarget(const std::string& pod, const PodOptions& options) {
  return {.name = pod, .prefix = Kubectl(options, {"exec", "-i", pod, "-c", ContainerOf(pod, options), "--"})};
}

AttachTarget EphemeralTarget(const std::string& pod, const PodOptions& options) {
  AttachTarget target{.name = pod, .prefix = Kubectl(options, {"exec", "-i", pod, "-c", options.ephemeral, "--"})};
  std::string image = options.image;
  if (image.empty()) {
    image = "$IMAGE";
    target.before.push_back(
        {.command = Kubectl(options, {"get", "pod", pod, "-o", "jsonpath={.spec.containers[0].image}"}),
         .variable = "IMAGE"});
  }
  target.before.push_back({.command = Kubectl(options, {"debug", pod, "--quiet", "--image=" + image,
                                                        "--target=" + ContainerOf(pod, options), "--profile=general",
                                                        "--container=" + options.ephemeral, "--", "sleep",
                                                        std::to_string(options.seconds)})});
  return target;
}

RemoteStep ListPods(const std::string& application, const std::vector<std::string>& executors,
                    const PodOptions& options) {
  std::string labels = "spark-app-selector=" + application;
  if (!executors.empty()) labels += fmt::format(",spark-exec-id in ({})", fmt::join(executors, ","));
  return {.command = Kubectl(options, {"get", "pods", "-l", labels, "--field-selector", "status.phase=Running", "-o",
                                       "jsonpath={.items[*].metadata.name}"}),
          .variable = "PODS"};
}

AttachTarget HostTarget(const std::string& command_template, const std::string& host, const std::string& application,
                        const std::string& executor) {
  AttachTarget target{.name = fmt::format("{}-{}", executor, host),
                      .prefix = {},
                      .joins_words = true,
                      .before = {},
                      .application = application,
                      .executor = executor};
  const auto words = SplitWords(command_template);
  if (!words) return target;
  for (std::string word : *words) {
    if (word == kCommand) continue;
    Replace(std::string(kHost), host, &word);
    target.prefix.push_back(std::move(word));
  }
  return target;
}

std::string ShellLine(const RemoteStep& step) {
  std::string line;
  for (const std::string& word : step.command) line += (line.empty() ? "" : " ") + QuoteForShell(word);
  if (!step.input.empty()) line += " < " + QuoteForShell(step.input);
  if (!step.output.empty()) line += " > " + QuoteForShell(step.output);
  return step.variable.empty() ? line : fmt::format("{}=$({})", step.variable, line);
}

RemoteStep WithVariables(RemoteStep step, const std::map<std::string, std::string>& variables) {
  for (const auto& [name, value] : variables) {
    for (std::string& word : step.command) Replace("$" + name, value, &word);
  }
  return step;
}

}  // namespace sparkprof
