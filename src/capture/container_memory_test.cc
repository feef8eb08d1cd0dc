// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/testing/folder_test.h"
#include "capture/container_limits.h"

namespace sparkprof {
namespace {

class ContainerMemoryTest : public FolderTest {
 protected:
  ContainerMemory Memory() const { return ContainerMemory(17, folder_, Path("cgroup")); }
};

TEST_F(ContainerMemoryTest, VersionTwoHasTheLimitOfTheProcesssGroup) {
  Write("17/cgroup", "0::/pod:1/app\n");
  Write("cgroup/memory.max", "max\n");
  Write("cgroup/pod:1/app/memory.max", "536870912\n");
  Write("cgroup/pod:1/app/memory.events", "low 0\nhigh 0\nmax 7\noom 1\noom_kill 2\n");
  EXPECT_EQ(Memory().LimitBytes(), 536870912);
  EXPECT_EQ(Memory().Kills(), 2);
}

TEST_F(ContainerMemoryTest, AContainerSeesItsGroupAtTheMountPoint) {
  Write("17/cgroup", "5:cpu:/\n4:memory:/docker/abc\n0::/\n");
  Write("cgroup/memory/memory.limit_in_bytes", "268435456\n");
  Write("cgroup/memory/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n");
  EXPECT_EQ(Memory().LimitBytes(), 268435456);
  EXPECT_EQ(Memory().Kills(), 1);
}

TEST_F(ContainerMemoryTest, NoLimitAndNoControlGroupAreNoNumber) {
  EXPECT_FALSE(Memory().LimitBytes() || Memory().Kills());
  Write("17/cgroup", "4:memory:/\n");
  Write("cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_FALSE(Memory().LimitBytes());
}

}  // namespace
}  // namespace sparkprof
