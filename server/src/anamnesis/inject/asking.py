"""Words of a prompt that do not show what it is about. Data only; for the UserPromptSubmit hook."""

from __future__ import annotations

# Words of a request: what to do, not what it is about.
ASKING = frozenset(
    "write fix repair make get look continue finish rest do still please want know add change update create"
    " give show explain tell find help need properly again new go bring put let way thing things bit like"
    " mean means difference general good first last next one two three into code file files try see check"
    " start stop keep turn set say think happen happens prepare bitte mach zeig schreib erkläre prüf schau"
    " weiter montre explique fais escribe muestra explica haz faz escreve mostra continua".split()
)

# How a question of general knowledge starts, also in the form of a request. "Why" mostly asks about the work.
QUESTIONS = frozenset(
    "what whats who whom which when where how explain define translate convert tell give compare was wer"
    " wen wie wo wann welche welcher welches erkläre erklär qui que quoi quel quelle comment où quand"
    " explique traduis qué quién cuál cómo cuándo dónde cual explica traduce che cosa chi quale come dove"
    " quando spiega quem qual quais como onde explique wat hoe waar welke что кто как где когда какой"
    " объясни co kto jak gdzie kiedy".split()
)

# Words that hold a sentence together in German, French, Spanish, Portuguese, Italian, Dutch, Polish and
# Russian; those of English are left out of every query. Leaves out those that are technical terms (ci, pod).
FUNCTION_WORDS = frozenset(
    "der die das den dem des ein eine einen einem einer kein keine keinen und oder aber denn nicht noch"
    " nur auch so zu zum zur von vom mit ohne für auf in im am an bei aus um über unter nach vor seit bis"
    " ist sind wird werden wurde hat haben hatte kann können muss müssen soll sollte darf will ich du er"
    " wir ihr sie es mir mich dir dich uns euch ihm ihn sich mein dein sein unser jetzt mal dann dass"
    " doch schon warum wie was wann wo wer welche welcher wenn weil als ob hier da dort wieder immer heute"
    " gerade eigentlich"
    " le la les un une des du de et ou mais donc pas ne plus que qui quoi dont où pour avec sans sur sous"
    " dans en au aux par chez entre ce cet cette ces ça est sont était être a ont avoir fait faire faut"
    " peut il elle on nous vous ils elles je tu me te se lui leur mon ma mes ton ta tes son sa ses notre"
    " nos votre quand comment pourquoi quel quelle encore toujours aussi si comme alors ici là maintenant"
    " el la los las un una unos unas del al de y o pero no ni si con sin por para en sobre entre desde"
    " hasta que qué quién como cómo cuando cuándo donde dónde cual cuál este esta esto estos estas ese esa"
    " eso es son era fue ser está están hay han haber hace hacer puede puedes tiene yo tú él ella"
    " nosotros ellos lo le les se su sus mi mis me te nos ya más muy todavía también quiero necesito ahora"
    " aquí porque"
    " o a os as um uma uns umas de do da dos das no na nos nas em ao aos à às e ou mas nem não com sem por"
    " para pelo pela entre sobre desde até que quem qual quais quando onde como é são era foi ser está"
    " estão tem têm há ter faz fazer pode eu ele ela nós você vocês eles lhe se seu sua seus suas meu"
    " minha me te isso isto este esta esse essa já mais muito ainda também quero preciso agora aqui hoje"
    " porque gente"
    " il lo la i gli le un uno una di a da in con su per tra fra del dello della dei degli delle al allo"
    " alla agli alle dal dalla dai nel nella nei nelle sul sulla sui e ed o ma non né se che chi cui"
    " cosa quale quali quando dove come perché è sono era erano essere hanno ho avere fa fare può tu"
    " lui lei noi voi loro mi ti vi si suo sua suoi mio mia questo questa questi quello quella già più"
    " molto ancora anche voglio adesso ora qui stesso"
    " de het een en of maar niet geen met zonder voor op in aan van bij uit over onder naar tot dat"
    " die dit deze wat wie hoe waar wanneer waarom welke als dan is zijn was waren wordt worden heeft"
    " hebben had kan kunnen moet moeten mag wil ik je jij hij zij we wij jullie ze mij me hem haar ons"
    " mijn jouw nog ook al nu hier daar weer er"
    " i w we z ze na do od po za dla o u przez przy nad nie tak to ta te tym tego się jest są był"
    " była być ma mają co kto jak kiedy gdzie dlaczego który która które czy ale albo oraz a ja ty on ona"
    " my wy oni mnie mi go jej jeszcze już też teraz tu"
    " и в во с со на к ко от по за из у о об для при над под не ни да это этот эта эти тот та те что кто"
    " как когда где почему какой который или но а же ли бы если то я ты он она мы вы они мне тебе его её"
    " их есть был была было были быть ещё уже тоже сейчас тут здесь".split()
)
