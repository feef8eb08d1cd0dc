// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>

#include "base/background_task.h"
#include "base/io/file.h"
#include "base/io/private_file.h"
#include "base/system.h"
#include "base/text/quantity.h"
#include "base/text/text.h"
#include "catalogue_option.h"
#include "fleet/fleet_result.h"
#include "http/url.h"
#include "inject_settings.h"
#include "inputs/shared_options.h"
#include "number_checks.h"
#include "server/server.h"
#include "verb.h"

namespace sparkprof {
namespace {

constexpr const char* kDefaultAddress = "127.0.0.1:8320";
constexpr std::chrono::seconds kMaxTimeToEndServer{4};  // after SIGTERM

struct ServeOptions {
  std::string listen = kDefaultAddress;
  std::string data = "sparkprof-data";
  std::vector<std::string> watched;
  std::string watch_owner = "log";
  std::string catalogue;
  std::string token_file;
  std::string certificate, key;
  bool insecure = false;
  std::string cache = "512m";
  std::string keep, keep_bytes, coarsen_after;
  std::string webhook, webhook_severity = "high", public_url;
  std::string fleet, prices, auto_policy;
  std::string fetch_cache = "10g";
  InjectSettings inject;
  bool acls = false;
  std::string admin_acls, admin_acls_groups, user_header, groups_header;
  std::vector<std::string> trusted_proxies;

  Result<ServerOptions> Finish() const {
    ServerOptions server;
    const Result<ListenAddress> address = ParseListenAddress(listen);
    if (!address) return Fail("--listen: " + address.error().message);
    server.http.address = *address;
    if (certificate.empty() != key.empty()) return Fail("TLS requires both options, --tls-cert and --tls-key");
    server.http.certificate_file = certificate;
    server.http.key_file = key;
    Result<std::optional<InjectOptions>> injection = inject.Finish(!certificate.empty());
    if (!injection) return tl::unexpected(injection.error());
    server.inject = std::move(*injection);
    if (!token_file.empty()) {
      Result<Access> access = Access::ReadTokens(token_file);
      if (!access) return Fail("--tokens: " + access.error().message);
      server.access = std::move(*access);
    }
    Result<AclOptions> acl_options = Acls();
    if (!acl_options) return tl::unexpected(acl_options.error());
    server.access.SetAcls(std::move(*acl_options));
    if (!address->IsLoopback() && token_file.empty() && !insecure) {
      return Fail(fmt::format(
          "--listen {}: others can reach this address; protect it with --tokens FILE, or allow everybody with "
          "--insecure",
          listen));
    }
    const Result<int64_t> bytes = ParseBytes(cache);
    if (!bytes) return Fail(Refusal("--cache", cache, bytes.error()));
    server.max_cache_bytes = static_cast<uint64_t>(*bytes);
    server.data = DataFolder(data);
    Result<RetentionOptions> retention = Retention();
    if (!retention) return tl::unexpected(retention.error());
    server.retention = *retention;
    Result<NotificationOptions> notifications = Notifications();
    if (!notifications) return tl::unexpected(notifications.error());
    server.notifications = std::move(*notifications);
    const Result<int64_t> fetched = ParseBytes(fetch_cache);
    if (!fetched) return Fail(Refusal("--fetch-cache", fetch_cache, fetched.error()));
    server.max_fetched_bytes = static_cast<uint64_t>(*fetched);
    server.watched = watched;
    server.watch_owner_of_file = watch_owner == "file";
    for (const std::string& location : FleetLocations(fleet)) {
      if (std::find(watched.begin(), watched.end(), location) == watched.end()) server.watched.push_back(location);
    }
    Result<std::optional<PriceList>> price_list = ReadPrices(prices);
    if (!price_list) return tl::unexpected(price_list.error());
    if (!auto_policy.empty()) {
      Result<AutoPolicy> policy = ReadAutoPolicy(auto_policy);
      if (!policy) return Fail("--auto-policy: " + policy.error().message);
      server.auto_policy = std::move(*policy);
    }
    server.fleet = fleet;
    server.prices = std::move(*price_list);
    return server;
  }

 private:
  Result<RetentionOptions> Retention() const {
    RetentionOptions retention;
    struct Option {
      const char* name;
      const std::string& text;
      Result<int64_t> (*parse)(std::string_view text);
      int64_t* value;
    };
    for (const Option& option :
         {Option{"--keep", keep, ParseDuration, &retention.remove_after_ns},
          Option{"--keep-bytes", keep_bytes, ParseBytes, &retention.max_bytes},
          Option{"--coarsen-after", coarsen_after, ParseDuration, &retention.coarsen_after_ns}}) {
      if (option.text.empty()) continue;
      const Result<int64_t> value = option.parse(option.text);
      if (!value) return Fail(Refusal(option.name, option.text, value.error()));
      if (*value == 0) return Fail(fmt::format("{}: must be greater than 0", option.name));
      *option.value = *value;
    }
    return retention;
  }

  Result<AclOptions> Acls() const {
    const bool has_more = !admin_acls.empty() || !admin_acls_groups.empty() || !user_header.empty() ||
                          !groups_header.empty() || !trusted_proxies.empty();
    if (has_more && !acls) return Fail("these options limit who sees an application; add --acls");
    if (acls && token_file.empty()) return Fail("--acls: users are those of tokens; add --tokens FILE");
    if (!groups_header.empty() && user_header.empty()) return Fail("--groups-header requires --user-header");
    if (trusted_proxies.empty() != user_header.empty()) {
      return Fail("--user-header and --trusted-proxy require each other");
    }
    AclOptions options{.is_enabled = acls,
                       .admins = AclNames(admin_acls),
                       .admin_groups = AclNames(admin_acls_groups),
                       .user_header = ToLowerAscii(user_header),
                       .groups_header = ToLowerAscii(groups_header),
                       .proxies = {}};
    for (const std::string& proxy : trusted_proxies) {
      const std::string with_port = proxy.find(':') == std::string::npos ? proxy + ":0" : "[" + proxy + "]:0";
      const Result<ListenAddress> address = ParseListenAddress(with_port);
      if (!address) return Fail(fmt::format("--trusted-proxy: \"{}\" is not an IP address", proxy));
      options.proxies.push_back(address->host);
    }
    return options;
  }

  Result<NotificationOptions> Notifications() const {
    NotificationOptions notifications;
    notifications.severity = webhook_severity == "low"      ? Severity::kLow
                             : webhook_severity == "medium" ? Severity::kMedium
                                                            : Severity::kHigh;
    notifications.page = public_url.ends_with('/') ? public_url.substr(0, public_url.size() - 1) : public_url;
    if (!public_url.empty() && !ParseUrl(public_url)) {
      return Fail(fmt::format("--public-url: \"{}\" is not a URL such as https://profiles.example.com", public_url));
    }
    if (webhook.empty()) return notifications;
    const Result<Url> url = ParseUrl(webhook);
    // Omits the text, which may be secret.
    if (!url) return Fail("--webhook: not a URL of http or https without user and password");
    notifications.webhook = *url;
    return notifications;
  }
};

// Acknowledged data is durable and other work is repeated at the next start, so it can be interrupted, as by a crash.
void EndLongWork() {
  std::this_thread::sleep_for(kMaxTimeToEndServer);
  Complain("background work did not finish; it runs again at the next start");
  _exit(kExitSuccess);
}

int RunServe(const ServeOptions& options, const CLI::App& command) {
  Result<ServerOptions> server_options = options.Finish();
  if (!server_options) return Misuse(command, server_options.error().message);
  // Blocked in all threads: one of them waits for these signals.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);  // a file beyond `ulimit -f` fails only one request
  RaiseDescriptorLimit();
  ReadZerosInMappedFaults();  // for watched files, which others write

  std::mutex printing;
  std::unique_lock first_line(printing);
  server_options->log = [&printing](const std::string& line) {
    const std::lock_guard lock(printing);
    Complain(line);
  };
  const Result<std::string> restricted = OpenDataFolder(server_options->data);
  if (!restricted) return Complain(restricted.error().message);
  const std::string path = options.catalogue.empty() ? DefaultCatalogue(server_options->data) : options.catalogue;
  std::string rebuilt;
  Result<std::unique_ptr<Catalogue>> catalogue = OpenCatalogue(path, &rebuilt);
  if (!catalogue) return Complain(catalogue.error().message);
  Result<std::unique_ptr<Server>> server = Server::Open(std::move(*server_options), std::move(*catalogue));
  if (!server) return Complain(server.error().message);
  Complain(fmt::format("serving {}/", (*server)->Address()));
  if (!restricted->empty()) Complain(*restricted);
  if (!rebuilt.empty()) Complain(rebuilt);
  first_line.unlock();
  std::thread waiting([&] {
    int signal_number = 0;
    sigwait(&signals, &signal_number);
    (*server)->Stop();
    // Without this thread, long work ends at its own pace.
    (void)Guarded([]() -> Result<void> {
      std::thread(EndLongWork).detach();
      return {};
    });
  });
  (*server)->Run();
  waiting.join();
  return kExitSuccess;
}

}  // namespace

std::function<int()> DefineServe(CLI::App& command) {
  const auto options = std::make_shared<ServeOptions>();
  command.add_option("--listen", options->listen, "IP address and port; port 0 = any free one")
      ->capture_default_str()
      ->type_name("ADDRESS:PORT");
  command.add_option("--data", options->data, "Data folder of the collector")->capture_default_str()->type_name("DIR");
  command
      .add_option("--watch", options->watched,
                  "Folder of recordings or Spark event logs, read in place: a path, hdfs://HOST:PORT/PATH, "
                  "s3a://BUCKET/PREFIX, gs://… or abfss://…; may be repeated")
      ->type_name("LOCATION")
      ->allow_extra_args(false);
  command
      .add_option("--watch-owner", options->watch_owner,
                  "Whom a watched file belongs to: the user in its events (log), or the owner of the file (file)")
      ->check(CLI::IsMember({"log", "file"}))
      ->capture_default_str();
  command
      .add_option("--fleet", options->fleet,
                  "Output of sparkprof fleet analyze; the page Fleet shows it, and its logs are watched")
      ->type_name("DIR");
  AddPricesTo(command, &options->prices);
  command
      .add_option("--auto-policy", options->auto_policy,
                  "Policy of automatic sizes; for jobs with auto=on, see docs/auto.md")
      ->type_name("FILE");
  command
      .add_option("--catalogue", options->catalogue,
                  "Catalogue; a file or clickhouse://HOST:PORT/DATABASE (default: DIR/catalogue.duckdb)")
      ->type_name("LOCATION");
  command
      .add_option("--tokens", options->token_file,
                  "File with lines ROLE TOKEN; roles: ingest, read, admin. Required for addresses other than loopback")
      ->type_name("FILE");
  command.add_flag("--acls", options->acls,
                   "Show an application to its user and to those in its spark.ui.view.acls and spark.admin.acls only, "
                   "as Spark's spark.history.ui.acls.enable; requires --tokens with users");
  command.add_option("--admin-acls", options->admin_acls, "Users who see every application; * is everybody")
      ->type_name("USER,…");
  command.add_option("--admin-acls-groups", options->admin_acls_groups, "Groups that see every application")
      ->type_name("GROUP,…");
  command
      .add_option("--user-header", options->user_header,
                  "Header in which a proxy names the user it has authenticated; requires --trusted-proxy")
      ->type_name("NAME");
  command.add_option("--groups-header", options->groups_header, "Header with the user's groups, with commas")
      ->type_name("NAME");
  command
      .add_option("--trusted-proxy", options->trusted_proxies,
                  "Trust --user-header from the proxy at this address; may be repeated")
      ->type_name("IP")
      ->allow_extra_args(false);
  command.add_flag("--insecure", options->insecure, "Allow everybody who reaches the address to send and read");
  command.add_option("--tls-cert", options->certificate, "Certificate chain (PEM)")->type_name("FILE");
  command.add_option("--tls-key", options->key, "Private key (PEM)")->type_name("FILE");
  command
      .add_option("--cache", options->cache,
                  "Memory for loaded applications, half for pages and half for Spark's REST API")
      ->capture_default_str()
      ->type_name("SIZE");
  command.add_option("--keep", options->keep, "Remove applications that ended this long ago (90d)")->type_name("TIME");
  command
      .add_option("--keep-bytes", options->keep_bytes,
                  "Remove the oldest applications beyond this size of recordings (500g)")
      ->type_name("SIZE");
  command
      .add_option(
          "--coarsen-after", options->coarsen_after,
          "Merge samples of applications that ended this long ago (7d) into steps of 10 s, after four times as long "
          "into steps of 1 min")
      ->type_name("TIME");
  command
      .add_option("--webhook", options->webhook,
                  "Send notifications of failures, findings and regressions to this URL, as JSON that Slack reads")
      ->envname("SPARKPROF_WEBHOOK")
      ->type_name("URL");
  command.add_option("--webhook-severity", options->webhook_severity, "Least severity of a finding in notifications")
      ->capture_default_str()
      ->check(CLI::IsMember({"low", "medium", "high"}))
      ->type_name("SEVERITY");
  command.add_option("--public-url", options->public_url, "Address of this server for links in notifications")
      ->type_name("URL");
  command
      .add_option("--fetch-cache", options->fetch_cache,
                  "Disk space below --data for copies of watched files on HDFS and S3")
      ->capture_default_str()
      ->type_name("SIZE");
  AddInjectTo(command, &options->inject);
  AddShareTo(command);
  command.footer(
      "Collects recordings from running jobs and shows all applications, live and for months. Ends on SIGTERM.\n"
      "Examples:\n"
      "  sparkprof serve --data /var/lib/sparkprof\n"
      "  sparkprof serve --watch /shared/sparkprof --listen 0.0.0.0:8320 --tokens tokens.txt");
  return [options, &command] { return RunServe(*options, command); };
}

}  // namespace sparkprof
