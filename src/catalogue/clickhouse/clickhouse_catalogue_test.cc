// SPDX-License-Identifier: Apache-2.0
#include "catalogue/clickhouse/clickhouse_catalogue.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "base/io/file.h"
#include "base/system.h"
#include "base/testing/folder_test.h"
#include "base/time.h"
#include "catalogue/clickhouse/clickhouse_client.h"
#include "catalogue/clickhouse/clickhouse_tables.h"
#include "catalogue/testing/catalogue_contract.h"
#include "catalogue/testing/example_entries.h"
#include "http/http_client.h"

namespace sparkprof {
namespace {

// Ports that were free a moment ago.
std::vector<int> FreePorts(size_t count) {
  std::vector<int> sockets, ports;
  for (size_t i = 0; i < count; ++i) {
    sockets.push_back(socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in address{.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof(address);
    if (bind(sockets.back(), reinterpret_cast<sockaddr*>(&address), size) != 0) return {};
    getsockname(sockets.back(), reinterpret_cast<sockaddr*>(&address), &size);
    ports.push_back(ntohs(address.sin_port));
  }
  for (const int fd : sockets) close(fd);
  return ports;
}

// Two ClickHouse servers on loopback, the shards of the cluster "two". They end with this object, or with the process.
class TwoShards {
 public:
  TwoShards() {
    const std::vector<int> ports = FreePorts(6);
    for (size_t shard = 0; shard < 2 && ports.size() == 6; ++shard) Start(ports, shard);
  }
  ~TwoShards() {
    for (const pid_t server : pids_) kill(server, SIGKILL);
    for (const pid_t server : pids_) waitpid(server, nullptr, 0);
  }
  TwoShards(const TwoShards&) = delete;
  TwoShards& operator=(const TwoShards&) = delete;

  const std::vector<std::string>& Servers() const { return servers_; }

  // False if they are not on this machine.
  bool AwaitReady() const {
    if (servers_.size() != 2) return false;
    for (int tries = 0; tries < 600; ++tries) {
      const auto answers = [](const std::string& server) {
        const Result<HttpResponse> response = SendHttp("GET", *ParseUrl(server + "/ping"), {}, "");
        return response && response->status == 200;
      };
      if (answers(servers_[0]) && answers(servers_[1])) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    ADD_FAILURE() << "ClickHouse does not answer at " << servers_[0] << " and " << servers_[1] << " after a minute";
    return false;
  }

 private:
  void Start(const std::vector<int>& ports, size_t shard) {
    const std::string folder = fmt::format("{}/{}", folder_.Path(), shard);
    std::filesystem::create_directories(folder + "/tmp");
    const auto replica = [&](size_t of) {
      return fmt::format("<shard><replica><host>127.0.0.1</host><port>{}</port></replica></shard>", ports[of * 3]);
    };
    const std::string config = fmt::format(
        "<yandex><logger><level>warning</level><log>{0}/log</log><errorlog>{0}/errors</errorlog></logger>"
        "<tcp_port>{1}</tcp_port><http_port>{2}</http_port><interserver_http_port>{3}</interserver_http_port>"
        "<listen_host>127.0.0.1</listen_host><interserver_http_host>127.0.0.1</interserver_http_host>"
        "<path>{0}/</path><tmp_path>{0}/tmp/</tmp_path><users_config>{0}/users.xml</users_config>"
        "<default_profile>default</default_profile><default_database>default</default_database>"
        "<mark_cache_size>67108864</mark_cache_size><max_concurrent_queries>100</max_concurrent_queries>"
        "<remote_servers><two>{4}{5}</two></remote_servers></yandex>",
        folder, ports[shard * 3], ports[shard * 3 + 1], ports[shard * 3 + 2], replica(0), replica(1));
    const std::string users =
        "<yandex><profiles><default/></profiles><quotas><default/></quotas><users><default><password/><networks>"
        "<ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users></yandex>";
    if (!WriteFile(folder + "/config.xml", config) || !WriteFile(folder + "/users.xml", users)) return;
    const pid_t parent = getpid();
    for (const char* program : {"clickhouse-server", "/usr/sbin/clickhouse-server"}) {
      const StartedProcess server = StartProcess({program, "--config-file=" + folder + "/config.xml"}, [parent] {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(1);
      });
      if (server.pid < 0) continue;
      pids_.push_back(server.pid);
      servers_.push_back(fmt::format("http://127.0.0.1:{}", ports[shard * 3 + 1]));
      return;
    }
  }

  TemporaryFolder folder_;
  std::vector<pid_t> pids_;
  std::vector<std::string> servers_;
};

// Started once for all tests of the process; null if ClickHouse is not on this machine.
const TwoShards* Shards() {
  static const std::unique_ptr<TwoShards> shards = [] {
    auto started = std::make_unique<TwoShards>();
    return started->AwaitReady() ? std::move(started) : nullptr;
  }();
  return shards.get();
}

ClickhouseOptions OwnDatabase() {
  static int number = 0;
  return {.servers = Shards()->Servers(), .cluster = "two", .database = fmt::format("test{}", ++number)};
}

class ClickhouseStorage : public CatalogueStorage {
 public:
  Result<std::unique_ptr<Catalogue>> Open() override { return OpenClickhouseCatalogue(options_); }

 private:
  ClickhouseOptions options_ = OwnDatabase();
};

// A server without a cluster: tests/e2e/test_clickhouse.py has one of a current release, and sets its address.
class GivenClickhouse : public CatalogueStorage {
 public:
  explicit GivenClickhouse(const char* server) {
    static int number = 0;
    options_ = {.servers = {server}, .database = fmt::format("given{}", ++number)};
  }
  Result<std::unique_ptr<Catalogue>> Open() override { return OpenClickhouseCatalogue(options_); }

 private:
  ClickhouseOptions options_;
};

std::vector<CatalogueKind> Kinds() {
  std::vector<CatalogueKind> kinds{
      {"ClickHouse", [] { return Shards() ? std::make_unique<ClickhouseStorage>() : nullptr; }}};
  if (const char* const server = getenv("SPARKPROF_TEST_CLICKHOUSE"))
    kinds.push_back({"GivenClickHouse", [server] { return std::make_unique<GivenClickhouse>(server); }});
  return kinds;
}

INSTANTIATE_TEST_SUITE_P(Clickhouse, CatalogueContract, testing::ValuesIn(Kinds()),
                         [](const auto& kind) { return kind.param.name; });

TEST(ClickhouseCatalogueTest, ApplicationsAreOnBothShards) {
  if (Shards() == nullptr) GTEST_SKIP() << "no ClickHouse on this machine";
  const ClickhouseOptions options = OwnDatabase();
  const Result<std::unique_ptr<Catalogue>> catalogue = OpenClickhouseCatalogue(options);
  ASSERT_TRUE(catalogue) << catalogue.error().message;
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE((*catalogue)->Put(EntryBuilder(ExampleRow("app-" + std::to_string(i))).Total({"main"}, 1)));
  }
  for (const std::string& server : options.servers) {
    const ClickhouseClient client({*ParseUrl(server)}, "", "");
    for (const char* table : {"applications_shard", "totals_shard"}) {
      const Result<std::string> rows =
          client.Query({fmt::format("SELECT count() FROM {}_v{}.{}", options.database, kTablesVersion, table)});
      ASSERT_TRUE(rows) << rows.error().message;
      const int64_t count = RowBinaryReader(*rows).Integer();
      EXPECT_GT(count, 0) << server << " " << table;
      EXPECT_LT(count, 20) << server << " " << table;
    }
  }
  EXPECT_EQ((*catalogue)->GroupSamples({.group = "group"}, "cpu")->samples.at(0).weight, 20);
}

TEST(ClickhouseCatalogueTest, ContentsOfReplacedAndRemovedEntriesAreRemovedWhenTheyAreOld) {
  if (Shards() == nullptr) GTEST_SKIP() << "no ClickHouse on this machine";
  const ClickhouseOptions options = OwnDatabase();
  const Result<std::unique_ptr<Catalogue>> catalogue = OpenClickhouseCatalogue(options);
  ASSERT_TRUE(catalogue) << catalogue.error().message;
  const auto rows = [&] {
    int64_t sum = 0;
    for (const std::string& server : options.servers) {
      const Result<std::string> count = ClickhouseClient({*ParseUrl(server)}, "", "")
                                            .Query({fmt::format("SELECT toInt64(count()) FROM {}_v{}.totals_shard",
                                                                options.database, kTablesVersion)});
      sum += count ? RowBinaryReader(*count).Integer() : -1;
    }
    return sum;
  };
  for (int i = 0; i < 20; ++i) {
    for (int times = 0; times < 3; ++times) {
      ASSERT_TRUE((*catalogue)->Put(EntryBuilder(ExampleRow("app-" + std::to_string(i))).Total({"main"}, 1)));
    }
    if (i >= 15) {
      ASSERT_TRUE((*catalogue)->Remove(ExampleRow("app-" + std::to_string(i)).key));
    }
  }
  ASSERT_EQ(rows(), 60);
  ASSERT_TRUE((*catalogue)->RemoveLeftovers(EpochNanos() - 3600 * kNanosPerSecond));
  EXPECT_EQ(rows(), 60);
  const Result<void> removed = (*catalogue)->RemoveLeftovers(EpochNanos());
  ASSERT_TRUE(removed) << removed.error().message;
  // The database removes rows in the background.
  for (int tries = 0; rows() != 15 && tries < 600; ++tries) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(rows(), 15);
  EXPECT_EQ((*catalogue)->GroupSamples({.group = "group"}, "cpu")->samples.at(0).weight, 15);
}

TEST(ClickhouseCatalogueTest, EveryByteOfAQuotedTextComesBack) {
  if (Shards() == nullptr) GTEST_SKIP() << "no ClickHouse on this machine";
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
  bytes += "\\'\\\\''";
  const ClickhouseClient client({*ParseUrl(Shards()->Servers()[0])}, "", "");
  const Result<std::string> answer = client.Query({"SELECT ?, toInt64(?), toInt64(?)", {bytes, INT64_MIN, INT64_MAX}});
  ASSERT_TRUE(answer) << answer.error().message;
  RowBinaryReader rows(*answer);
  EXPECT_EQ(rows.Text(), bytes);
  EXPECT_EQ(rows.Integer(), INT64_MIN);
  EXPECT_EQ(rows.Integer(), INT64_MAX);
}

TEST(ClickhouseCatalogueTest, AServerThatIsAwayIsNamedAndTheNextIsAsked) {
  const std::vector<int> ports = FreePorts(1);
  ASSERT_EQ(ports.size(), 1u);
  const std::string away = fmt::format("http://127.0.0.1:{}", ports[0]);
  const Result<std::unique_ptr<Catalogue>> catalogue = OpenClickhouseCatalogue({.servers = {away}});
  ASSERT_FALSE(catalogue);
  EXPECT_NE(catalogue.error().message.find(std::to_string(ports[0])), std::string::npos) << catalogue.error().message;
  if (Shards() == nullptr) GTEST_SKIP() << "no ClickHouse on this machine";
  const ClickhouseClient client({*ParseUrl(away), *ParseUrl(Shards()->Servers()[0])}, "", "");
  EXPECT_TRUE(client.Query({"SELECT 1"}));
}

TEST(ClickhouseCatalogueTest, OptionsThatAreNoNamesOrUrlsAreRefused) {
  EXPECT_FALSE(OpenClickhouseCatalogue({.servers = {"http://127.0.0.1:1"}, .database = "a; DROP"}));
  EXPECT_FALSE(OpenClickhouseCatalogue({.servers = {"127.0.0.1"}}));
  EXPECT_FALSE(OpenClickhouseCatalogue({}));
}

}  // namespace
}  // namespace sparkprof
