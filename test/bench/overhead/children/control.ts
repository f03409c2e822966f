// Loaded into a server before its own code, whoever wrote it, so that each is measured from within in the same way.
process.on('message', question => {
  if (question !== 'usage') return
  const { user, system } = process.cpuUsage()
  process.send?.({ usage: { cpuUs: user + system, rssBytes: process.memoryUsage.rss() } })
})
process.once('disconnect', () => process.exit())
