// SPDX-License-Identifier: Apache-2.0
#include "launch/remote_attach.h"

#include <gtest/gtest.h>

namespace sparkprof {
namespace {

const RemoteAttachOptions kOptions{.program = "/opt/bin/sparkprof",
                                   .jar = "/opt/lib/sparkprof-spark.jar",
                                   .folder = "/tmp/sparkprof-attach-1",
                                   .attach_words = {"--duration", "30s"},
                                   .output_dir = "out"};

std::vector<std::string> Lines(const AttachTarget& target) {
  std::vector<std::string> lines;
  for (const RemoteStep& step : target.before) lines.push_back(ShellLine(step));
  for (const RemoteStep& step : AttachSteps(target, kOptions)) lines.push_back(ShellLine(step));
  return lines;
}

TEST(RemoteAttachTest, APodIsReachedByExec) {
  const std::vector<std::string> lines = Lines(ExecTarget("job-exec-1", {.space = "jobs"}));
  const std::string exec = "kubectl --namespace jobs exec -i job-exec-1 -c spark-kubernetes-executor -- sh -c ";
  EXPECT_EQ(lines,
            (std::vector<std::string>{
                exec + "'umask 077; mkdir -p /tmp/sparkprof-attach-1/bin /tmp/sparkprof-attach-1/lib && cat > "
                       "/tmp/sparkprof-attach-1/bin/sparkprof && chmod 700 /tmp/sparkprof-attach-1/bin/sparkprof' < "
                       "/opt/bin/sparkprof",
                exec + "'cat > /tmp/sparkprof-attach-1/lib/sparkprof-spark.jar' < /opt/lib/sparkprof-spark.jar",
                exec + "'/tmp/sparkprof-attach-1/bin/sparkprof attach --all-spark --format jfr --output-dir "
                       "/tmp/sparkprof-attach-1/out --duration 30s'",
                exec + "'cat /tmp/sparkprof-attach-1/out/*.jfr' > out/job-exec-1.jfr",
                exec + "'rm -rf /tmp/sparkprof-attach-1'"}));
}

TEST(RemoteAttachTest, AnEphemeralContainerOfThePodsImageSharesItsProcesses) {
  const AttachTarget target = EphemeralTarget("pi-driver", {.ephemeral = "sparkprof-1", .seconds = 150});
  ASSERT_EQ(target.before.size(), 2u);
  EXPECT_EQ(ShellLine(target.before[0]),
            "IMAGE=$(kubectl get pod pi-driver -o 'jsonpath={.spec.containers[0].image}')");
  EXPECT_EQ(ShellLine(target.before[1]),
            "kubectl debug pi-driver --quiet --image=\"$IMAGE\" --target=spark-kubernetes-driver --profile=general "
            "--container=sparkprof-1 -- sleep 150");
  EXPECT_EQ(WithVariables(target.before[1], {{"IMAGE", "spark:4.1"}}).command[4], "--image=spark:4.1");
  EXPECT_EQ(target.prefix, (std::vector<std::string>{"kubectl", "exec", "-i", "pi-driver", "-c", "sparkprof-1", "--"}));
}

TEST(RemoteAttachTest, OnlyTheVariablesAreLeftToTheShell) {
  EXPECT_EQ(ShellLine({.command = {"echo", "a;$POD$(id)`id`", "$IMAGE", "", "x\"$IMAGE'"}}),
            R"(echo 'a;'"$POD"'$(id)`id`' "$IMAGE" '' 'x"'"$IMAGE"''"'"'')");
}

TEST(RemoteAttachTest, AGivenImageIsNotAskedFor) {
  EXPECT_EQ(EphemeralTarget("p", {.image = "tools:1", .ephemeral = "e"}).before.size(), 1u);
}

TEST(RemoteAttachTest, PodsOfAnApplicationAreFoundByTheirLabels) {
  EXPECT_EQ(ShellLine(ListPods("spark-1", {}, {})),
            "PODS=$(kubectl get pods -l spark-app-selector=spark-1 --field-selector status.phase=Running -o "
            "'jsonpath={.items[*].metadata.name}')");
  EXPECT_EQ(ListPods("spark-1", {"1", "7"}, {}).command[4], "spark-app-selector=spark-1,spark-exec-id in (1,7)");
}

TEST(RemoteAttachTest, ATemplateReachesAHost) {
  const AttachTarget target = HostTarget("ssh -o 'BatchMode yes' {host} {command}", "node7", "application_1_2", "3");
  const std::vector<std::string> lines = Lines(target);
  EXPECT_EQ(
      lines[1],
      "ssh -o 'BatchMode yes' node7 "
      "'sh -c '\"'\"'cat > /tmp/sparkprof-attach-1/lib/sparkprof-spark.jar'\"'\"'' < /opt/lib/sparkprof-spark.jar");
  EXPECT_NE(lines[2].find("--app application_1_2 --executor 3 --duration 30s"), std::string::npos) << lines[2];
  EXPECT_NE(lines[3].find("> out/3-node7.jfr"), std::string::npos) << lines[3];
}

}  // namespace
}  // namespace sparkprof
