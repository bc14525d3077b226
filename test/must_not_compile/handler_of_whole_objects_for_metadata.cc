// error: no matching (member )?function|could not convert|no known conversion|cannot convert|no viable conversion
#include <kinformer/informer/shared_informer_factory.h>
#include <kinformer/views/core_v1.h>

using kinformer::core::v1::Pod;

void Make(kinformer::SharedInformerFactory& factory) {
#ifdef WRONG
  (void)factory.ForMetadata<Pod>().AddEventHandler({.on_add = [](const Pod&, bool) {}});
#else
  (void)factory.ForMetadata<Pod>().AddEventHandler({.on_add = [](const kinformer::MetadataOf<Pod>&, bool) {}});
#endif
}
