// A Cacher over a real etcd.

#include <memory>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kinformer/base/fake_clock.h>

#include "src/listwatch/cacher/cacher.h"
#include "src/listwatch/storage/storage_lister_watcher.h"
#include "src/listwatch/storage/undecorated_storage.h"
#include "test/listwatch/cacher/watch_reader.h"
#include "test/listwatch/storage/etcd_testing.h"
#include "test/listwatch/storage/storage_testing.h"

namespace kinformer::apiserver {
namespace {

using namespace testing_support;

std::string ConfigMapText(const std::string& value) {
  return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"default"},"data":{"value":")" +
         value + "\"}}";
}

TEST(EtcdCacherTest, MoreChangesInAnOutageThanOneFrameMayHaveAreListedAgain) {
  EtcdProcesses processes(1, /*durable=*/true);
  const auto writer = ConnectTo(processes.urls());
  const std::string key = "/registry/configmaps/default/a";
  Revision revision = writer->Put(key, Text(ConfigMapText("0")), 0, 0s, {}).value().revision;

  const auto clock = std::make_shared<FakeClock>();
  const auto pool = std::make_shared<TaskPool>(TaskPoolOptions{.threads = 2, .clock = clock});
  pool->Start();
  const auto backend = std::shared_ptr<Backend>(
      EtcdBackend::Create({.endpoints = processes.urls(), .max_frame_bytes = 1'000'000}).value());
  const StorageOptions options{
      .resource = {"", "v1", "configmaps"}, .kind = {"", "v1", "ConfigMap"}, .prefix = "/registry/configmaps/"};
  Cacher cacher(pool, std::make_shared<StorageListerWatcher>(backend, options, *pool),
                std::make_shared<UndecoratedStorage>(backend, options, *pool), BackendProgress::Of(*backend));
  cacher.Start();
  ASSERT_TRUE(Await([&] { return cacher.Ready().ok(); }));

  // With the clock stopped, the cacher does not reconnect before everything is written.
  processes.KillAll();
  ASSERT_TRUE(Await([&] { return cacher.Status().reflector.phase == internal::ReflectorPhase::kBackingOff; }));
  processes.RestartAll();
  for (int i = 1; i <= 20; ++i) {
    const auto written =
        writer->Put(key, Text(ConfigMapText(std::to_string(i) + std::string(100'000, 'x'))), revision, 0s, {});
    ASSERT_TRUE(written && written->Written());
    revision = written->revision;
  }
  ASSERT_TRUE(Await([&] {
    clock->Advance(100ms);
    std::this_thread::sleep_for(1ms);  // etcd runs on real time
    return cacher.Status().fills == 2;
  })) << ToString(cacher.Status().reflector.last_error.value_or(Error{}));
  EXPECT_TRUE(cacher.Following());
  EXPECT_EQ(cacher.Status().cache.revision, revision);
  const auto object = cacher.Get("default", "a", "0", {});
  ASSERT_TRUE(object);
  EXPECT_THAT(std::string((*object)->At("/data/value").StringOr("")), ::testing::StartsWith("20x"));
  cacher.Stop();
  pool->Stop();
}

}  // namespace
}  // namespace kinformer::apiserver
